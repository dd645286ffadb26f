import { UserError } from '../../errors/UserError';
import type { Run } from '../types';

/**
 * Returns why the waits can't be suspended, although n8n could do so; undefined if they can be.
 * `itemCount`: the number of prepared items.
 */
export async function suspensionObstacle(
	run: Run,
	itemCount: number,
): Promise<UserError | undefined> {
	// In the sub-workflow, n8n resolves the credential again, without the items.
	if (!(await run.clients.resolvesToOneAccount(itemCount))) {
		return new UserError(
			"'Suspend While Waiting' can't be used with a credential that depends on the item",
			{
				description:
					'Nothing was started. Turn the option off, or use a credential without expressions.',
			},
		);
	}
	// After a suspension, n8n pairs results with input items by position. With the node's error
	// output, a result that has no input item ends the execution.
	const inputs = run.context.getInputData().length;
	const needsOneResultPerInput =
		inputs > 1 || run.context.getNode().onError === 'continueErrorOutput';
	if (itemCount === inputs || !needsOneResultPerInput) return undefined;
	return new UserError(
		"'Suspend While Waiting' can't be used with several IDs in 'Job ID' if the node has several input items or an error output",
		{
			description:
				"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
		},
	);
}

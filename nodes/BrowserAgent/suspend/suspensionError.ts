import { UserError } from '../../errors/UserError';
import type { Run } from '../types';

/** The error of waits that can't be suspended although n8n could do so; undefined: they can be. */
export async function suspensionError(run: Run, itemCount: number): Promise<UserError | undefined> {
	// n8n resolves the credential again in the sub-workflow that holds the waits, without the items.
	if (!(await run.clients.isSameForAnyItem(itemCount))) {
		return new UserError(
			"'Suspend While Waiting' can't be used with a credential that depends on the item",
			{
				description:
					'Nothing was started. Turn the option off, or use a credential without expressions.',
			},
		);
	}
	// After a suspension, n8n pairs results and input by their positions. With its error output, a
	// result without a partner ends the execution.
	const inputs = run.context.getInputData().length;
	const isMispaired = inputs > 1 || run.context.getNode().onError === 'continueErrorOutput';
	if (itemCount === inputs || !isMispaired) return undefined;
	return new UserError("'Suspend While Waiting' can't be used with several IDs in 'Job ID' here", {
		description:
			"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
	});
}

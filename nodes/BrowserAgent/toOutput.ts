import type { INodeExecutionData } from 'n8n-workflow';

import { toErrorItem } from '../output/errorItem';
import { isError, isSuspended, type ItemResult, type Run } from './run';

/** The output of a run that has ended: all results in the order of the items, each paired with its own. */
export function toOutput(run: Run, results: ItemResult[][]): INodeExecutionData[] {
	const hint = run.summary.toHint();
	// Older versions of n8n can't show hints.
	if (hint !== undefined) run.context.addExecutionHints?.(hint);
	// With an error among the items, n8n may try the node again.
	if (!results.flat().some(isError)) run.ledger.clear();
	return results.flatMap((ofItem, item) =>
		ofItem.flatMap((result): INodeExecutionData[] => {
			if (isSuspended(result)) return [];
			if (isError(result)) return [toErrorItem(result.error, run.place, item)];
			return [{ ...result, pairedItem: { item } }];
		}),
	);
}

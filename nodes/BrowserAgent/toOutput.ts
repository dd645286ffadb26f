import type { INodeExecutionData } from 'n8n-workflow';

import { toErrorItem } from '../output/errorItem';
import { isError, isSuspended, type Run, type RunResult } from './run';

/** The output of a run that has ended: each result is paired with the input item that it comes from. */
export function toOutput(run: Run, results: RunResult[]): INodeExecutionData[] {
	const hint = run.summary.toHint();
	// Older versions of n8n can't show hints.
	if (hint !== undefined) run.context.addExecutionHints?.(hint);
	// With an error among the items, n8n may try the node again.
	if (!results.some(({ result }) => isError(result))) run.ledger.clear();
	return results.flatMap(({ itemIndex: item, result }): INodeExecutionData[] => {
		if (isSuspended(result)) return [];
		if (isError(result)) return [toErrorItem(result.error, run.place, item)];
		return [{ ...result, pairedItem: { item } }];
	});
}

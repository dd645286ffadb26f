import { toUserError } from '../errors/toNodeError';
import { withJobFacts } from '../jobs/previousJobs';
import type { ItemOutcome, ItemResult, Run, RunningItem } from './types';

/** Runs an item. An error is its result with Continue On Fail, and otherwise ends the run: it is thrown. */
export async function runItem(run: Run, item: RunningItem): Promise<ItemResult[]> {
	const { itemIndex, context, subject } = item;
	let outcomes: ItemOutcome[];
	try {
		outcomes = await item.run(context);
	} catch (error) {
		outcomes = [{ error: withJobFacts(toUserError(error, subject), context.entry) }];
	}
	const results = outcomes.map((outcome) => ({ itemIndex, outcome }));
	throwIfRunFails(run, results);
	return results;
}

/** The one rule for failing items: with Continue On Fail the others continue, otherwise the run ends. */
export function throwIfRunFails(run: Run, results: ItemResult[]): void {
	if (run.continueOnFail && !run.isStopped()) return;
	for (const { itemIndex, outcome } of results) {
		if (!('error' in outcome)) continue;
		run.end();
		throw outcome.error.with({ itemIndex });
	}
}

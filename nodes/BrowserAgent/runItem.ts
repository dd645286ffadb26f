import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { withJobFacts } from '../jobs/previousJobs';
import type { ReadyItem } from './connectItems';
import { isError, type ItemResult, type Run, type RunResult } from './run';

/**
 * Returns the function that runs an item. An error is its result with Continue On Fail, and otherwise
 * ends the run: it is thrown. `lastWait` is the last item whose wait can be suspended.
 */
export function createItemRunner(
	run: Run,
	lastWait: ReadyItem | undefined,
): (ready: ReadyItem) => Promise<RunResult[]> {
	return async (ready) => {
		if ('result' in ready) return [ready];
		const { itemIndex, item, prepared } = ready;
		if (ready === lastWait) run.suspension?.scheduleAfterLastWait();
		let results: ItemResult[];
		try {
			results = await prepared.run(item);
		} catch (error) {
			results = [{ error: withJobFacts(toUserError(error, prepared.subject), item.entry) }];
		}
		const found = results.map((result) => ({ itemIndex, result }));
		throwIfRunFails(run, found);
		return found;
	};
}

/** The one rule for failing items: with Continue On Fail the others continue, otherwise the run ends. */
export function throwIfRunFails(run: Run, results: RunResult[]): void {
	if (run.continueOnFail && !run.isStopped()) return;
	for (const { itemIndex, result } of results) {
		if (!isError(result)) continue;
		run.abort();
		throw new UserError(result.error.message, { ...result.error.details, itemIndex });
	}
}

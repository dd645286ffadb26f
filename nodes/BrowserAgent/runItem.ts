import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { withJobFacts } from '../jobs/previousJobs';
import type { ReadyItem } from './connectItems';
import { isError, type ItemResult, type Run } from './run';

/** An item of a run, and when its turn is. */
export interface ItemTurn {
	run: Run;
	ready: ReadyItem;
	/** Why it can't run, if that is known before it begins. */
	knownError?: UserError;
	/** Whether it is the last one whose wait can be suspended. */
	isLastWait: boolean;
}

/** One of the results of a run, and the item that it comes from. */
export interface RunResult {
	ready: ReadyItem;
	result: ItemResult;
}

/** Runs an item. An error is its result with Continue On Fail, and otherwise ends the run: it is thrown. */
export async function runItem(turn: ItemTurn): Promise<RunResult[]> {
	const { run, ready, knownError, isLastWait } = turn;
	if ('error' in ready) return [{ ready, result: ready }];
	if (knownError !== undefined) return [{ ready, result: { error: knownError } }];
	const { item, prepared } = ready;
	if (isLastWait) run.suspension?.scheduleAfterLastWait();
	let results: ItemResult[];
	try {
		results = await prepared.run(item);
	} catch (error) {
		results = [{ error: withJobFacts(toUserError(error, prepared.subject), item.entry) }];
	}
	const failed = results.find(isError);
	if (failed !== undefined) throwIfRunFails(run, failed.error, ready.itemIndex);
	return results.map((result) => ({ ready, result }));
}

/** The one rule for failing items: with Continue On Fail the others continue, otherwise the run ends. */
export function throwIfRunFails(run: Run, error: UserError, itemIndex: number): void {
	if (run.continueOnFail && !run.isStopped()) return;
	run.abort();
	throw new UserError(error.message, { ...error.details, itemIndex });
}

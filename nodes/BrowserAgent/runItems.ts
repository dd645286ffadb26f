import { limitConcurrency } from '../async/limitConcurrency';
import { toUserError } from '../errors/toNodeError';
import { stoppedError, UserError } from '../errors/UserError';
import { notStartedAgain } from '../jobs/startJob';
import type { ConnectedItem, ReadyItem } from './connectItems';
import { isError, type ItemResult, type Run } from './run';

type RunItem = (ready: ConnectedItem, itemIndex: number) => Promise<ItemResult[]>;

/**
 * Runs the items, a few at a time, and returns what came of each, in their order.
 * An item that fails has an error as its result with Continue On Fail. Without, or after a Stop, its
 * error ends the run: it is thrown once all other items have ended.
 */
export async function runItems(
	run: Run,
	items: ReadyItem[],
	runItem: RunItem = runPrepared,
): Promise<ItemResult[][]> {
	if (run.isStopped()) throw stoppedError('nothing was sent');

	// What is known to fail comes first, before anything is sent for the others.
	const results = items.map((item, itemIndex) => {
		const error = knownError(item);
		if (error !== undefined) throwIfRunFails(run, error, itemIndex);
		return error === undefined ? undefined : [{ error }];
	}) as ItemResult[][];
	const lastSuspending = items.findLastIndex((one) => 'item' in one && one.prepared.suspends);
	await limitConcurrency(items.length, maxParallel(items), async (itemIndex) => {
		const ready = items[itemIndex];
		if (ready === undefined || 'error' in ready || results[itemIndex] !== undefined) return;
		if (itemIndex === lastSuspending) run.suspension?.scheduleAfterLastWait();
		const ofItem = await runOrFail(runItem, ready, itemIndex);
		results[itemIndex] = ofItem;
		const failed = ofItem.find(isError);
		if (failed !== undefined) throwIfRunFails(run, failed.error, itemIndex);
	});
	return results;
}

async function runPrepared({ item, prepared }: ConnectedItem): Promise<ItemResult[]> {
	return await prepared.run(item);
}

async function runOrFail(
	runItem: RunItem,
	ready: ConnectedItem,
	itemIndex: number,
): Promise<ItemResult[]> {
	try {
		return await runItem(ready, itemIndex);
	} catch (error) {
		return [{ error: toUserError(error, ready.prepared.subject) }];
	}
}

/** The one rule for failing items: with Continue On Fail the others go on, otherwise the run ends. */
function throwIfRunFails(run: Run, { message, details }: UserError, itemIndex: number): void {
	if (run.continueOnFail && !run.isStopped()) return;
	run.abort();
	throw new UserError(message, { ...details, itemIndex });
}

// From preparing it, or from an earlier try of this run.
function knownError(ready: ReadyItem): UserError | undefined {
	if ('error' in ready) return ready.error;
	const { state, error } = ready.item.entry;
	return state === 'unclear' ? notStartedAgain() : error;
}

function maxParallel(items: ReadyItem[]): number {
	const limits = items.flatMap((one) => ('item' in one ? (one.prepared.maxParallel ?? 1) : []));
	return limits.length === 0 ? 1 : Math.min(...limits);
}

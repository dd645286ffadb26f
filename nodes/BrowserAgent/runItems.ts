import { limitConcurrency } from '../async/limitConcurrency';
import { stoppedError, type UserError } from '../errors/UserError';
import { withJobs } from '../jobs/previousJobs';
import { notStartedAgain } from '../jobs/startJob';
import type { ReadyItem } from './connectItems';
import type { ItemResult, Run } from './run';
import { runItem, throwIfRunFails, type ItemTurn } from './runItem';

/**
 * Runs the items, a few at a time, and returns what came of each, in their order. If an item makes the
 * run fail, its error is thrown once all other items have ended.
 */
export async function runItems(run: Run, items: ReadyItem[]): Promise<ItemResult[][]> {
	if (run.isStopped()) throw stoppedError('nothing was sent');

	const lastWait = items.findLastIndex((one) => 'item' in one && one.prepared.suspends);
	const turns = items.map((ready, itemIndex): ItemTurn => {
		const isLastWait = itemIndex === lastWait;
		return { run, ready, itemIndex, isLastWait, knownError: toKnownError(ready) };
	});
	// What is known to fail comes first, before anything is sent for the others.
	for (const { knownError, itemIndex } of turns) {
		if (knownError !== undefined) throwIfRunFails(run, knownError, itemIndex);
	}
	return await limitConcurrency(turns, maxParallel(items), runItem);
}

// From preparing it, or from an earlier try of this run.
function toKnownError(ready: ReadyItem): UserError | undefined {
	if ('error' in ready) return ready.error;
	const { entry } = ready.item;
	const latest = entry.attempts.at(-1);
	const error = latest?.state === 'unclear' ? notStartedAgain() : latest?.error;
	return error && withJobs(error, entry);
}

function maxParallel(items: ReadyItem[]): number {
	const limits = items.flatMap((one) => ('item' in one ? (one.prepared.maxParallel ?? 1) : []));
	return limits.length === 0 ? 1 : Math.min(...limits);
}

import { untilAborted } from '../async/abortSignals';
import { limitConcurrency } from '../async/limitConcurrency';
import { stoppedError, type UserError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/JobLedger';
import { pauseJobs } from '../jobs/pauseJob';
import { withJobFacts } from '../jobs/previousJobs';
import { notStartedAgain } from '../jobs/startJob';
import type { ReadyItem } from './connectItems';
import type { Run } from './run';
import { runItem, throwIfRunFails, type ItemTurn, type RunResult } from './runItem';

/**
 * Runs the items, a few at a time, and returns all results in the order of the items. If an item makes the
 * run fail, its error is thrown once all other items have ended.
 */
export async function runItems(run: Run, items: ReadyItem[]): Promise<RunResult[]> {
	if (run.isStopped()) throw stoppedError('nothing was sent');

	const lastWait = items.findLastIndex((one) => {
		return 'item' in one && one.prepared.suspends && toKnownError(one) === undefined;
	});
	const turns = items.map((ready, index): ItemTurn => {
		return { run, ready, isLastWait: index === lastWait, knownError: toKnownError(ready) };
	});
	// What is known to fail comes first, before anything is sent for the others.
	for (const { knownError, ready } of turns) {
		if (knownError !== undefined) throwIfRunFails(run, knownError, ready.itemIndex);
	}
	const results = await limitConcurrency(turns, maxParallel(items), runItem);
	await untilAborted(pauseBelowFloor(run), run.signal);
	return results.flat();
}

// Also jobs that are not waited for any more.
async function pauseBelowFloor(run: Run): Promise<void> {
	const { ledger } = run;
	const isToBePaused = (entry: LedgerEntry) => !entry.isSeenPaused && ledger.isBelowFloor(entry);
	await pauseJobs(run, ledger.inState('running').filter(isToBePaused));
}

// From preparing it, or from an earlier try of this run.
function toKnownError(ready: ReadyItem): UserError | undefined {
	if ('error' in ready) return ready.error;
	const { entry } = ready.item;
	const latest = entry.attempts.at(-1);
	const error = latest?.state === 'unclear' ? notStartedAgain() : latest?.error;
	return error && withJobFacts(error, entry);
}

function maxParallel(items: ReadyItem[]): number {
	const limits = items.flatMap((one) => ('item' in one ? (one.prepared.maxParallel ?? 1) : []));
	return limits.length === 0 ? 1 : Math.min(...limits);
}

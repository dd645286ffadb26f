import { untilAborted } from '../async/abortSignals';
import { limitConcurrency } from '../async/limitConcurrency';
import { stoppedError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/JobLedger';
import { pauseJobs } from '../jobs/pauseJob';
import type { ReadyItem } from './connectItems';
import type { Run, RunResult } from './run';
import { createItemRunner, throwIfRunFails } from './runItem';

/**
 * Runs the items, a few at a time, and returns all results in the order of the items. If an item makes the
 * run fail, its error is thrown once all other items have ended.
 */
export async function runItems(run: Run, items: ReadyItem[]): Promise<RunResult[]> {
	if (run.isStopped()) throw stoppedError('nothing was sent');

	// What is known to fail comes first, before anything is sent for the others.
	throwIfRunFails(
		run,
		items.filter((one) => 'result' in one),
	);
	const lastWait = items.findLast((one) => 'item' in one && one.prepared.suspends);
	const runItem = createItemRunner(run, lastWait);
	const results = await limitConcurrency(items, maxParallel(items), runItem);
	await untilAborted(pauseBelowFloor(run), run.signal);
	return results.flat();
}

// Also jobs that are not waited for any more.
async function pauseBelowFloor(run: Run): Promise<void> {
	const { ledger } = run;
	const isToBePaused = (entry: LedgerEntry) => !entry.isSeenPaused && ledger.isBelowFloor(entry);
	await pauseJobs(run, ledger.inState('running').filter(isToBePaused));
}

function maxParallel(items: ReadyItem[]): number {
	const limits = items.flatMap((one) => ('item' in one ? (one.prepared.maxParallel ?? 1) : []));
	return limits.length === 0 ? 1 : Math.min(...limits);
}

import { limitConcurrency } from '../async/limitConcurrency';
import { untilAborted } from '../async/abortSignals';
import { stoppedError } from '../errors/UserError';
import { pauseForCredits } from '../jobs/pauseJobs';
import { runItem, throwIfRunFails } from './runItem';
import type { ItemResult, Run, RunningItem } from './types';

/**
 * Runs the items, a few at a time, and returns all results in the order of the items. If an item makes the
 * run fail, its error is thrown once all other items have ended.
 */
export async function runItems(
	run: Run,
	items: Array<RunningItem | ItemResult>,
): Promise<ItemResult[]> {
	if (run.isStopped()) throw stoppedError('nothing was sent');

	// What is known to fail comes first, before anything is sent for the others.
	throwIfRunFails(
		run,
		items.filter((one) => 'outcome' in one),
	);
	const running = items.filter((one) => 'run' in one);
	const lastWait = running.findLast(({ suspends }) => suspends);
	const results = await limitConcurrency(items, maxParallel(running), async (one) => {
		if ('outcome' in one) return [one];
		if (one === lastWait) run.suspension?.schedule();
		return await runItem(run, one);
	});
	await untilAborted(pauseForCredits(run, run.ledger), run.signal);
	return results.flat();
}

function maxParallel(items: RunningItem[]): number {
	const limits = items.map((item) => item.maxParallel ?? 1);
	return limits.length === 0 ? 1 : Math.min(...limits);
}

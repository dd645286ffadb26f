import { concludeWait, type WatchedJob } from './concludeWait';
import { followJob } from './followJob';
import type { HandedOver, ItemRun, OutputItem } from './operations/operation';
import { toFinishedItem, type FinishedItemOptions } from './toFinishedItem';

/** The job to wait for. `startedAt` is the clock's time; unset: somebody else started it. */
export type JobToWaitFor = Pick<WatchedJob, 'jobId' | 'startedAt'>;

/**
 * Waits for a job and makes its item. When the node is told to leave, what is left of the wait is
 * returned for others to go on with.
 */
export async function waitAndFinish(
	run: ItemRun,
	job: JobToWaitFor,
	options: FinishedItemOptions,
): Promise<Array<OutputItem | HandedOver>> {
	const waitBegan = run.clock.now();
	const watched = { ...job, waitBegan, deadline: waitBegan + options.wait.maxWaitMs };

	const result = await followJob(run, watched, options.wait);
	if (result.reason === 'left') {
		return [{ handedOver: { watched, options }, lastSeen: result.job }];
	}
	return [
		await toFinishedItem(run, await concludeWait(run, watched, options.wait, result), options),
	];
}

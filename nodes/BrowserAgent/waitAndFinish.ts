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
export function waitAndFinish(
	run: ItemRun,
	{ jobId, startedAt }: JobToWaitFor,
	options: FinishedItemOptions,
): Promise<Array<OutputItem | HandedOver>> {
	const waitBegan = run.clock.now();
	const deadline = waitBegan + options.wait.maxWaitMs;
	const watched = { jobId, startedAt, waitBegan, deadline };

	// No async function, which would take memory for as long as the job runs.
	return followJob(run, watched, options.wait).then(async (result) => {
		if (result.reason === 'left') {
			return [{ handedOver: { watched, options }, lastSeen: result.job }];
		}
		return [
			await toFinishedItem(run, await concludeWait(run, watched, options.wait, result), options),
		];
	});
}

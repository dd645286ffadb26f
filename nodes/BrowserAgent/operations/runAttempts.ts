import type { JobSession } from '../../jobs/JobSession';
import { beginWait, type WaitOptions, type WaitResult } from '../../jobs/JobWait';
import { startJob, type JobStart } from '../../jobs/startJob';
import { waitForJob } from '../../jobs/waitForJob';
import type { ItemOptions } from '../../parameters/waiting';
import type { StartedJob } from '../../service/types';
import type { Outcome } from '../types';
import { finishItem } from './finishItem';

/** What to start, how many times, how to wait for it, and how to make its item. */
export interface AttemptPlan {
	start: JobStart;
	/** How many jobs to start at most. */
	maxAttempts: number;
	waitOptions: WaitOptions;
	/** Called with the last job that was started. */
	toItemOptions(started: StartedJob): ItemOptions;
}

/**
 * Starts a job, waits for it, and starts another one if it has failed, up to `maxAttempts`. Returns
 * the item of the last job with a list of the failed ones, or the wait if it is suspended. Throws a
 * `UserError`, or the `ServiceError` that a start threw.
 *
 * A retry of the node replays the attempts that the ledger has recorded: `startJob` and
 * `waitForJob` return at once what is known of them.
 */
export async function runAttempts(
	first: JobSession,
	{ start, maxAttempts, waitOptions, toItemOptions }: AttemptPlan,
): Promise<Outcome[]> {
	let session = first;
	for (let attempt = 1; ; attempt++) {
		const started = await startJob(session, start);
		const { job_id: jobId } = started;
		const wait = beginWait(session, waitOptions);
		const result = await waitForJob(session, wait);
		if (attempt >= maxAttempts || !hasFailed(result)) {
			const outcome = await finishItem(session, wait, result, toItemOptions(started));
			return [withPrevious(outcome, first)];
		}
		first.logger.info(`Browser Agent: attempt ${attempt} of ${maxAttempts} failed, job ${jobId}`, {
			jobId,
		});
		session = { ...session, entry: session.entry.nextAttempt() };
	}
}

// A user who takes over or cancels a job does so on purpose. A result other than a status leaves it
// open whether the job has ended.
function hasFailed(result: WaitResult): boolean {
	return result.reason === 'status' && result.job.status === 'failed';
}

function withPrevious(outcome: Outcome, { entry }: JobSession): Outcome {
	const { previousJobs: previous_jobs } = entry;
	if (previous_jobs.length === 0 || outcome.kind !== 'output') return outcome;
	return { ...outcome, json: { ...outcome.json, previous_jobs } };
}

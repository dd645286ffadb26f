import { stoppedError } from '../errors/stoppedError';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobWait, WaitOptions, WaitResult } from './JobWait';
import { pauseWhenWaitEndsEarly } from './pauseJob';
import { hasEnded, isFinished, isSuccessful, isTakenOver } from './status';
import { jobFailureError, lostJobError, timedOutError } from './waitErrors';

/** A job whose wait is over. */
export interface SettledJob {
	job: Job;
	/** Whether it has ended or, unless its wait has timed out, was taken over by a user. */
	isFinished: boolean;
}

/** How a wait ended for good. */
export type FinalWaitResult = Exclude<WaitResult, { reason: 'suspended' }>;

/**
 * Decides what becomes of a job whose wait is over. If the wait ended early, the job is paused as
 * its policy says; if the job has ended, the ledger keeps its end for retries. Returns the job as
 * last seen, or throws a `UserError` that names it.
 */
export async function settleWait(
	session: JobSession,
	wait: JobWait,
	result: FinalWaitResult,
): Promise<SettledJob> {
	const { entry } = session;
	const { jobId, options } = wait;
	if (result.reason === 'status') return settleStatus(session, wait, result.job);
	// Whether the job is to be paused depends on why the whole run ends.
	if (result.reason === 'aborted') throw stoppedError(`the node stopped waiting for job ${jobId}`);

	await pauseWhenWaitEndsEarly(session);
	const { state, job: latest } = entry.known;
	// A job that can't be paused may have finished meanwhile.
	if (state === 'finished' && latest !== undefined) return settleStatus(session, wait, latest);

	if (result.reason === 'error') throw lostJobError(session, wait, result.error);
	const { job } = result;
	if (job === undefined || options.onTimeout === 'fail') throw timedOutError(session, wait, result);
	// After a pause, the status seen last is outdated.
	const asPaused = state === 'paused' ? { ...job, status: 'paused' } : job;
	return { job: asPaused, isFinished: false };
}

/** The same for a job with a status that ends its wait. */
function settleStatus(session: JobSession, { options }: JobWait, job: Job): SettledJob {
	const { entry } = session;
	if (isFailure(job, options)) {
		const error = jobFailureError(session, job);
		// A user may hand the browser of a taken-over job back.
		if (hasEnded(job)) entry.record('failed', { error });
		throw error;
	}
	if (isFinished(job)) entry.recordSeen(job, true);
	return { job, isFinished: isFinished(job) };
}

function isFailure(job: Job, { onJobFailure, onTakenOver }: WaitOptions): boolean {
	if (isTakenOver(job) && onTakenOver === 'return') return false;
	return isFinished(job) && !isSuccessful(job) && onJobFailure === 'fail';
}

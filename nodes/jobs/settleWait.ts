import { stoppedError } from '../errors/stoppedError';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobWait, WaitOptions, WaitResult } from './JobWait';
import { pauseWhenWaitEndsEarly } from './pauseJob';
import { hasFinalStatus, isFinished, isSuccessful, isTakenOver } from './status';
import {
	firstLookError,
	jobFailureError,
	statusUnavailableError,
	timedOutError,
} from './waitErrors';

/** A job whose wait is over. */
export interface SettledJob {
	job: Job;
	/** False if the wait timed out, otherwise whether the job has ended or was taken over. */
	isFinished: boolean;
}

/** How a wait ended for good. */
export type FinalWaitResult = Exclude<WaitResult, { reason: 'suspend' }>;

/**
 * Handles the end of a wait. If it ended early, `pauseWhenWaitEndsEarly` pauses the job if its
 * policy says so. Records the job's end, or the resulting error, so that a retry can reuse it.
 * Returns the job as last seen, or throws a `UserError` that names it.
 */
export async function settleWait(
	session: JobSession,
	wait: JobWait,
	result: FinalWaitResult,
): Promise<SettledJob> {
	const { entry } = session;
	const { jobId, options } = wait;
	if (result.reason === 'status') return settleStatus(session, wait, result.job);
	// `failRun` decides whether the job is paused, because that depends on why the run ends:
	// nodes/BrowserAgent/shouldPause.ts has the rule.
	if (result.reason === 'aborted') throw stoppedError(`the node stopped waiting for job ${jobId}`);

	// Read first: the pause may see the job, although the polls of this wait have not.
	const wasKnown = entry.wasStartedOrSeen;
	const isWithUser = result.reason === 'deadline' && entry.state === 'takenOver';
	if (!isWithUser) await pauseWhenWaitEndsEarly(session);
	// The pause may have failed because the job had ended in the meantime.
	if (entry.result !== undefined) return settleStatus(session, wait, entry.result);

	if (result.reason === 'error') {
		throw wasKnown
			? statusUnavailableError(session, wait, result.error)
			: firstLookError(session, wait, result.error);
	}
	const { job } = result;
	if (job === undefined || !isReturnedAtDeadline(job, options)) {
		throw timedOutError(session, wait, result);
	}
	// The status was seen before the pause.
	const asPaused = entry.state === 'paused' ? { ...job, status: 'paused' } : job;
	return { job: asPaused, isFinished: false };
}

/**
 * Settles a wait that the job's status ended. Throws a `UserError` if that counts as a failure.
 */
function settleStatus(session: JobSession, { options }: JobWait, job: Job): SettledJob {
	const { entry } = session;
	if (isFinished(job) && !isSuccessful(job) && !isReturned(job, options)) {
		const error = jobFailureError(session, job);
		// A takeover that fails the item is not recorded: a retry may find the browser handed back.
		if (hasFinalStatus(job)) entry.recordFailure(error);
		throw error;
	}
	// The poll has recorded an end already. A takeover counts as finished only now that the node
	// returns the job.
	if (isTakenOver(job)) entry.recordFinished(job);
	return { job, isFinished: isFinished(job) };
}

/** Whether the user wants a job with this end, or this takeover, as an item. */
function isReturned(job: Job, { returnInsteadOfFailing }: WaitOptions): boolean {
	return returnInsteadOfFailing.includes(isTakenOver(job) ? 'takeover' : 'jobFailure');
}

function isReturnedAtDeadline(job: Job, { returnInsteadOfFailing }: WaitOptions): boolean {
	if (returnInsteadOfFailing.includes('timeout')) return true;
	return isTakenOver(job) && returnInsteadOfFailing.includes('takeover');
}

import { describeServiceError } from '../errors/describeServiceError';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { kindOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { addToError, UserError } from '../errors/UserError';
import type { Job } from '../service/types';
import { jobLinks } from './jobLinks';
import type { JobSession } from './JobSession';
import type { JobState } from './jobStateMachine';
import type { JobWait, WaitResult } from './JobWait';
import { failureReason, isTakenOver } from './status';

const MINUTE_MS = 60_000;

/** Creates the error for a job that failed, was canceled or was taken over by a user. */
export function jobFailureError(session: JobSession, job: Job): UserError {
	const { job_id } = job;
	const reason = failureReason(job, session.client.redactor);
	const suffix = reason === undefined ? '' : `: ${reason}`;
	return new UserError(`Job ${job_id} ${describeEnd(job)}${suffix}`, {
		description: adviceFor(job),
		jobIds: [job_id],
		links: jobLinks(session, job),
	});
}

function adviceFor(job: Job): string {
	if (isTakenOver(job)) {
		return "To get such jobs as items, set 'On Taken Over' to 'Return'. To wait until the agent continues, set it to 'Keep Waiting'.";
	}
	const asItems = "To get such jobs as items, set 'On Job Failure' to 'Return'.";
	if (job.status === 'canceled') return asItems;
	return `Check what the agent did, then change the task or the options. ${asItems}`;
}

function describeEnd(job: Job): string {
	if (isTakenOver(job)) return 'was taken over by a user';
	return job.status === 'canceled' ? 'was canceled' : 'failed';
}

/** Creates the error for a job whose status can't be checked anymore because of `error`. */
export function statusUnavailableError(
	{ entry }: JobSession,
	{ jobId }: JobWait,
	error: unknown,
): UserError {
	const described = toUserError(error, { jobId });
	if (kindOf(error) === 'notFound') return described;
	return addToError(described, describeConsequence(entry.state), []);
}

/** Creates the error for a job that was still running at the deadline, or was never seen. */
export function timedOutError(
	session: JobSession,
	{ jobId, waitStartedAt, deadline, isLimitedByWorkflow }: JobWait,
	{ job, error }: Extract<WaitResult, { reason: 'deadline' }>,
): UserError {
	const { entry } = session;
	const minutes = Number(((deadline - waitStartedAt) / MINUTE_MS).toFixed(2));
	const limit = isLimitedByWorkflow
		? "'Timeout After' in the workflow's settings"
		: "'Max Wait (Minutes)'";
	const time = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const lastError =
		error instanceof ServiceError ? ` Last error: ${describeServiceError(error).message}.` : '';
	return new UserError(
		job === undefined
			? `The status of job ${jobId} could not be checked for ${time}`
			: `Job ${jobId} was still ${describeState(session, job)} after ${time}`,
		{
			description: `Raise ${limit}, or get the result later with Job: Wait. ${describeConsequence(entry.state)}${lastError}`,
			jobIds: [jobId],
			links: jobLinks(session, job),
		},
	);
}

function describeState({ client }: JobSession, job: Job): string {
	if (isTakenOver(job)) return 'taken over by a user';
	return client.redactor.toPlainText(job.status, MAX_NAME_CHARACTERS);
}

/** Returns a sentence that says what the early end of a wait means for its job. */
function describeConsequence(state: JobState): string {
	if (state === 'pausing') return 'The job is being paused.';
	if (state === 'paused' || state === 'userPaused') {
		return 'The job is paused. Unless it is resumed within 6 hours, the service marks it as failed.';
	}
	if (state === 'pauseFailed') {
		return 'The job could not be paused: it may still be running and using credits.';
	}
	// The service doesn't say whether such a job uses credits.
	if (state === 'takenOver') return 'The job has not ended, and may be using credits.';
	return 'The job keeps running and using credits.';
}

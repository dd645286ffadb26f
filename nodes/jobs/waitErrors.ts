import { describeServiceError, quoteResponse } from '../errors/describeServiceError';
import { MAX_NAME_CHARACTERS, withFullStop } from '../errors/plainText';
import { kindOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { addToError, UserError } from '../errors/UserError';
import type { Job } from '../service/types';
import { jobLinks } from './jobLinks';
import type { JobSession } from './JobSession';
import type { JobWait, WaitResult } from './JobWait';
import { failureReason, isAtWork, isTakenOver } from './status';

const MINUTE_MS = 60_000;
const WHERE_TO_LOOK =
	"Look for the job in the service's web platform, or get its result with Job: Wait.";

/** What follows a sentence that says that a job could not be paused so far. */
export const PAUSE_CONTINUES =
	"The node keeps trying for five minutes; n8n's log says how it ended.";

/** Creates the error for a job that failed, was canceled or was taken over by a user. */
export function jobFailureError(session: JobSession, job: Job): UserError {
	const { job_id } = job;
	const reason = failureReason(job, session.client.redactor);
	const suffix = reason === undefined ? '' : `: ${reason}`;
	return new UserError(`Job ${job_id} ${describeEnd(session, job)}${suffix}`, {
		description: adviceFor(job),
		jobIds: [job_id],
		links: jobLinks(session, job),
	});
}

function adviceFor(job: Job): string {
	if (isTakenOver(job)) {
		return "To get such jobs as items, choose 'User Takes Over' in the option 'Return Instead of Failing'. To wait until the agent continues, turn on the option 'Wait While Taken Over'.";
	}
	const asItems =
		"To get such jobs as items, choose 'Job Fails or Is Canceled' in the option 'Return Instead of Failing'.";
	if (job.status === 'canceled') return asItems;
	return `Check what the agent did, then change the task or the options. ${asItems}`;
}

function describeEnd(session: JobSession, job: Job): string {
	if (isTakenOver(job)) return 'was taken over by a user';
	if (job.status === 'canceled') return 'was canceled';
	return job.status === 'failed' ? 'failed' : `ended as '${statusText(session, job)}'`;
}

/**
 * Creates the error for a job that the wait has never seen, and whose poll was refused with
 * `error`: perhaps there is no such job, or the credential is wrong.
 */
export function firstLookError(session: JobSession, { jobId }: JobWait, error: unknown): UserError {
	const described = toUserError(error, { jobId });
	return kindOf(error) === 'notFound'
		? described
		: addToError(described, describeConsequence(session), []);
}

/**
 * Creates the error for a job that was started or seen, and whose status polls were refused for too
 * long, the last one with `error`.
 */
export function statusUnavailableError(
	session: JobSession,
	{ jobId }: JobWait,
	error: unknown,
): UserError {
	const { entry } = session;
	const described = toUserError(error, { jobId });
	const sentences = [
		withFullStop(quoteResponse(error instanceof ServiceError ? error.facts : {})),
		kindOf(error) === 'unauthorized'
			? 'If the API key was replaced, Job: Wait uses the new one.'
			: '',
		describeLastSeen(session),
		describeConsequence(session),
		WHERE_TO_LOOK,
	];
	return new UserError(
		`The status of job ${jobId} could not be checked anymore: ${describeAnswer(error, described)}`,
		{
			...described.details,
			description: sentences.filter((sentence) => sentence !== '').join(' '),
			links: jobLinks(session, entry.known.job),
		},
		error,
	);
}

/** Says what the last poll brought, and who responded. */
function describeAnswer(error: unknown, described: UserError): string {
	const { statusCode, isFromService } = error instanceof ServiceError ? error.facts : {};
	if (statusCode === undefined) return reasonIn(described);
	return isFromService === true
		? `HTTP ${statusCode} from the service (${reasonIn(described)})`
		: `HTTP ${statusCode} from something in front of the service`;
}

/** Returns the message of an error as part of a sentence that names job and status already. */
function reasonIn({ message }: UserError): string {
	return message
		.replace(/^Job \S+ was/, 'the job was')
		.replace(/^(?:Job \S+: )?The/, 'the')
		.replace(/ \(HTTP \d+\)$/, '');
}

/**
 * Creates the error for a job that was still running at the deadline, or was not seen then. Of a
 * job that was not seen, it says only what may be.
 */
export function timedOutError(
	session: JobSession,
	{ jobId, waitStartedAt, deadline, isLimitedByWorkflow }: JobWait,
	{ job, error }: Extract<WaitResult, { reason: 'deadline' }>,
): UserError {
	const wasSeen = (session.entry.known.seenAt ?? -Infinity) >= deadline;
	const minutes = Number(((deadline - waitStartedAt) / MINUTE_MS).toFixed(2));
	const limit = isLimitedByWorkflow
		? "'Timeout After' in the workflow's settings"
		: "'Max Wait (Minutes)'";
	const time = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const sentences = [
		`Raise ${limit}, or get the result later with Job: Wait.`,
		wasSeen ? '' : describeLastSeen(session),
		describeConsequence(session, wasSeen),
		error instanceof ServiceError
			? `Last error: ${withFullStop(describeServiceError(error).message)}`
			: '',
	];
	return new UserError(describeTimeout(session, { jobId, time, job, wasSeen }), {
		description: sentences.filter((sentence) => sentence !== '').join(' '),
		jobIds: [jobId],
		links: jobLinks(session, job),
	});
}

function describeTimeout(
	session: JobSession,
	{ jobId, time, job, wasSeen }: { jobId: string; time: string; job?: Job; wasSeen: boolean },
): string {
	if (job === undefined) return `The status of job ${jobId} could not be checked for ${time}`;
	return wasSeen
		? `Job ${jobId} was still ${describeState(session, job)} after ${time}`
		: `The status of job ${jobId} could not be checked at the end of ${time}`;
}

function describeState(session: JobSession, job: Job): string {
	return isTakenOver(job) ? 'taken over by a user' : statusText(session, job);
}

function statusText({ client }: JobSession, { status }: Job): string {
	return client.redactor.toPlainText(status, MAX_NAME_CHARACTERS);
}

/** Says when the job was last seen, and how; '' if it never was. */
function describeLastSeen(session: JobSession): string {
	const { clock, entry } = session;
	const { job, seenAt, started } = entry.known;
	if (job !== undefined && seenAt !== undefined) {
		const ago = durationText(clock.now() - seenAt);
		return `Its status was last seen ${ago} ago: '${statusText(session, job)}'.`;
	}
	if (started === undefined) return '';
	return `It was started ${durationText(clock.now() - started.startedAt)} ago.`;
}

function durationText(ms: number): string {
	const minutes = Math.round(ms / MINUTE_MS);
	if (minutes >= 2) return `${minutes} minutes`;
	const seconds = Math.round(ms / 1000);
	return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/**
 * Returns a sentence that says what the early end of a wait means for its job. `wasSeen`: whether
 * the wait has just seen the job.
 */
function describeConsequence({ entry }: JobSession, wasSeen = false): string {
	const { state, job } = entry.known;
	if (state === 'pausing') return 'The job is being paused.';
	if (state === 'paused' || (state === 'userPaused' && wasSeen)) {
		return 'The job is paused. Unless it is resumed within 6 hours, the service marks it as failed.';
	}
	if (state === 'pauseUnclear') {
		return `The job could not be paused so far and may still be running. ${PAUSE_CONTINUES}`;
	}
	// The service doesn't say whether such a job uses credits.
	if (state === 'takenOver' && wasSeen) return 'The job has not ended, and may be using credits.';
	return wasSeen && isAtWork(job?.status)
		? 'The job keeps running and using credits.'
		: 'The job may still be running and using credits.';
}

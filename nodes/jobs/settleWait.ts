import { describeServiceError } from '../errors/describeServiceError';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { addToError, stoppedError, UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobState } from './jobStates';
import { pauseJob } from './pauseJob';
import { isFinal, isFinished, isSuccessful, isTakenOver } from './status';
import type { JobWait, WaitOptions, WaitResult } from './waitForJob';

/** A job whose wait is over, and how long the job took. */
export interface SettledJob {
	job: Job;
	/** False for a job that a user has taken over if the wait for it has timed out. */
	isFinished: boolean;
	durationSeconds: number;
}

const MINUTE_MS = 60_000;
const MAX_PAUSE_ANSWER_MS = 5_000;
const WEB_LINK = /^https?:\/\/\S+$/i;

// What the user reads about a job whose wait has ended early.
function afterwards(state: JobState): string {
	if (state === 'pausing') return 'The job is being paused.';
	if (state === 'paused' || state === 'userPaused') {
		return 'The job is paused. The service fails a job that is paused for 6 hours.';
	}
	if (state !== 'pauseFailed') return 'The job continues and uses credits.';
	return 'The job could not be paused: it may continue and use credits.';
}

/**
 * Returns the job as last seen, or throws a `UserError` that names it. Pauses it first by its
 * policy.
 */
export async function settleWait(
	session: JobSession,
	wait: JobWait,
	result: WaitResult,
): Promise<SettledJob> {
	const { clock, entry } = session;
	const { started } = entry.known;
	const ended = await requireJob(session, wait, result);
	const job = {
		...ended,
		live_url: ended.live_url ?? started?.live_url,
		history_url: ended.history_url ?? started?.history_url,
		cdp_url: ended.cdp_url ?? started?.cdp_url,
	};
	// A retry may see another status of a job that has not finished.
	const hasEnded = isFinal(job) || (isFinished(job) && result.reason !== 'deadline');
	// Any other status has been recorded when it was seen, before a pause.
	if (hasEnded) entry.recordSeen(job, true);
	const { startedAt, waitBegan } = wait;
	// This includes the time until the end was seen.
	const observedMs = clock.now() - (startedAt ?? waitBegan);
	const maxMs = startedAt === undefined ? Infinity : observedMs;
	const durationMs = jobDurationMs(job, maxMs) ?? observedMs;
	return { job, isFinished: hasEnded, durationSeconds: toSeconds(durationMs) };
}

/**
 * The job's duration by the service's own times, in ms; undefined without them or beyond `maxMs`.
 */
export function jobDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

/** Seconds with one digit after the point, as items have them. */
export function toSeconds(ms: number): number {
	return Math.round(ms / 100) / 10;
}

function isFailure({ reason, job }: WaitResult, options: WaitOptions): boolean {
	if (job === undefined) return true;
	if (reason === 'deadline') return options.onTimeout === 'fail';
	if (reason !== 'status') return true;
	if (isTakenOver(job) && options.onTakenOver === 'return') return false;
	return isFinished(job) && !isSuccessful(job) && options.onJobFailure === 'fail';
}

async function requireJob(session: JobSession, wait: JobWait, result: WaitResult): Promise<Job> {
	const { entry } = session;
	const { jobId, options } = wait;
	const { reason, job, error } = result;
	// Whether it is to be paused depends on why the whole run ends.
	if (reason === 'aborted') throw stoppedError(`the node stopped waiting for job ${jobId}`);
	if (reason === 'status' && job !== undefined) {
		if (!isFailure(result, options)) return job;
		const failure = jobFailureError(session, job);
		// A user may hand the browser of a taken-over job back.
		if (isFinal(job)) entry.record('failed', { error: failure });
		throw failure;
	}

	await pauseWhenWaitEndsEarly(session);
	const { state, job: latest } = entry.known;
	// A job that can't be paused may have finished meanwhile.
	if (state === 'finished' && latest !== undefined) {
		return await requireJob(session, wait, { reason: 'status', job: latest });
	}
	if (reason === 'error') throw lostError(jobId, error, afterwards(state));
	if (job === undefined || isFailure(result, options)) throw timedOutError(session, wait, result);
	// After a pause, the status seen last is outdated.
	return state === 'paused' ? { ...job, status: 'paused' } : job;
}

/**
 * Pauses the job of a wait that is over, if its policy says so. Waits for the first answer only.
 */
export async function pauseWhenWaitEndsEarly(session: JobSession): Promise<void> {
	const { clock, entry, signal } = session;
	if (entry.policy !== 'always' || entry.state === 'userPaused') return;
	await Promise.race([pauseJob(session, entry), clock.sleep(MAX_PAUSE_ANSWER_MS, signal)]);
}

/** Why a job has failed, as text that is safe to show; '' if the service has not said so. */
export function failureReason(client: ServiceClient, { error }: Job): string {
	return client.redactor.toPlainText(
		typeof error === 'string' ? error : (JSON.stringify(error) ?? ''),
	);
}

function jobFailureError(session: JobSession, job: Job): UserError {
	const { job_id, status } = job;
	const text = failureReason(session.client, job);
	const reason = text === '' ? '' : `: ${text}`;
	const what = isTakenOver(job)
		? 'was taken over by a user'
		: status === 'canceled'
			? 'was cancelled'
			: 'failed';
	const advice = isTakenOver(job)
		? "To get such jobs as items, or to wait until the agent continues, set 'On Taken Over'."
		: "Check what the agent did, and change 'Directive' or the options. To get such jobs as items, set 'On Job Failure' to 'Return'.";
	return new UserError(`Job ${job_id} ${what}${reason}`, {
		description: advice + linksTo(session, job),
		jobIds: [job_id],
	});
}

/** Where a person can see the job and act, as sentences. */
function linksTo({ client, entry }: JobSession, job: Job | undefined): string {
	const { started } = entry.known;
	const isOver = job !== undefined && isFinal(job);
	const links = [
		{ name: 'live view', url: isOver ? undefined : (job?.live_url ?? started?.live_url) },
		{ name: 'history', url: job?.history_url ?? started?.history_url },
	];
	return links
		.filter(({ url = '' }) => WEB_LINK.test(url))
		.map(({ name, url = '' }) => ` Its ${name}: ${client.redactor.toPlainText(url)}`)
		.join('');
}

function lostError(jobId: string, error: unknown, afterwards: string): UserError {
	const lost = toUserError(error, { jobId });
	const isUnknown = error instanceof ServiceError && error.kind === 'notFound';
	return isUnknown ? lost : addToError(lost, afterwards, []);
}

function timedOutError(
	session: JobSession,
	{ jobId, waitBegan, deadline, isLimitedByWorkflow }: JobWait,
	{ job, error }: WaitResult,
): UserError {
	const { client, entry } = session;
	const minutes = Number(((deadline - waitBegan) / MINUTE_MS).toFixed(2));
	const limit = isLimitedByWorkflow
		? "'Timeout After' in the workflow's settings"
		: "'Max Wait (Minutes)'";
	const time = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const lastError =
		error instanceof ServiceError ? ` The last error: ${describeServiceError(error).message}.` : '';
	return new UserError(
		job === undefined
			? `The status of job ${jobId} could not be checked for ${time}`
			: `Job ${jobId} was still ${client.redactor.toPlainText(job.status, MAX_NAME_CHARACTERS)} after ${time}`,
		{
			description: `Raise ${limit}, or get the result later with Job: Wait. ${afterwards(entry.state)}${lastError}${linksTo(session, job)}`,
			jobIds: [jobId],
		},
	);
}

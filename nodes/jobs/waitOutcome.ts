import { describeServiceError } from '../errors/describeServiceError';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { rethrown, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { stoppedError, UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { jobDurationMs } from './jobDuration';
import type { LedgerEntry } from './JobLedger';
import { pauseJob, type PauseContext } from './pauseJob';
import { isFinal, isFinished, isPaused, isSuccessful, isTakenOver } from './status';
import type { WaitOptions, WaitResult, WaitTimes } from './waitForJob';

/** What the user wants to come of the ways in which a wait can end. */
export interface OutcomeOptions extends WaitOptions {
	onTimeout: 'fail' | 'return';
	onUnsuccessful: 'fail' | 'return';
}

/** What is needed for an item's job. */
export interface JobContext extends PauseContext {
	client: ServiceClient;
	/** The item's line in the ledger. */
	entry: LedgerEntry;
	signal: AbortSignal;
}

/** A job whose wait is over, and how long the job took. */
export interface JobOutcome {
	job: Job;
	durationSeconds: number;
}

const MINUTE_MS = 60_000;
const MAX_PAUSING_MS = 5_000;
const WEB_LINK = /^https?:\/\/\S+$/i;

/**
 * What the end of a wait means for the user: the job as last seen or, in all other cases, a
 * `UserError` that names it. A job whose wait ended early is paused first if its policy says so.
 */
export async function waitOutcome(
	context: JobContext,
	wait: WaitTimes,
	options: OutcomeOptions,
	result: WaitResult,
): Promise<JobOutcome> {
	const { entry, clock } = context;
	const job = withStartLinks(await jobOrError(context, wait, options, result), entry);
	entry.job = job;
	// Of a job that is still waited for, a further try may see more.
	if (isFinished(job) && result.reason !== 'deadline') entry.state = 'finished';
	const { startedAt, waitBegan } = wait;
	// Until the end was seen.
	const observedMs = clock.now() - (startedAt ?? waitBegan);
	const maxMs = startedAt === undefined ? Infinity : observedMs;
	const durationMs = jobDurationMs(job, maxMs) ?? observedMs;
	return { job, durationSeconds: Math.round(durationMs / 100) / 10 };
}

/** Whether `waitOutcome` throws for a wait that has ended like this. */
export function isFailure({ reason, job }: WaitResult, options: OutcomeOptions): boolean {
	if (job === undefined) return true;
	if (reason === 'deadline') return options.onTimeout === 'fail';
	if (reason !== 'status') return true;
	if (isTakenOver(job) && options.onTakenOver === 'return') return false;
	return isFinished(job) && !isSuccessful(job) && options.onUnsuccessful === 'fail';
}

async function jobOrError(
	context: JobContext,
	{ jobId }: Pick<WaitTimes, 'jobId'>,
	options: OutcomeOptions,
	result: WaitResult,
): Promise<Job> {
	const { reason, job, error } = result;
	const fails = isFailure(result, options);
	if (reason === 'status' && job !== undefined) {
		if (!fails) return job;
		context.entry.state = 'failed';
		context.entry.error = unsuccessful(context, job);
		throw context.entry.error;
	}
	// Whether it is to be paused depends on why the whole run ends.
	if (reason === 'aborted') throw stoppedError(`the node stopped waiting for job ${jobId}`);
	if (reason === 'lowCredits') {
		const ended = await pauseOrSeeEnd(context, jobId, job);
		if (ended === undefined) throw rethrown(error);
		return await jobOrError(context, { jobId }, options, { reason: 'status', job: ended });
	}

	const afterwards = await pauseIfWanted(context, job);
	if (reason === 'error') throw lost(jobId, error, afterwards);
	if (job !== undefined && !fails) {
		// After a pause, the status that was seen last is outdated, and the new one is known.
		return context.entry.state === 'paused' ? { ...job, status: 'paused' } : job;
	}
	throw timedOut(context, jobId, result, options.maxWaitMs, afterwards);
}

/** Pauses the job if its policy says so and nobody else waits for it; returns what becomes of it, as a sentence. */
export async function pauseIfWanted(context: JobContext, job?: Job): Promise<string> {
	const { entry, signal } = context;
	if (job !== undefined && isPaused(job)) {
		return 'The job is paused. The service fails a job that is paused for 6 hours.';
	}
	entry.users.delete(signal);
	if (!entry.policy.whenAbandoned || entry.users.size > 0) {
		return 'The job continues and uses credits.';
	}
	return await pauseNow(context);
}

/** Pauses a job that runs. What can't be paused may have ended meanwhile: then it is returned. */
async function pauseOrSeeEnd(
	context: JobContext,
	jobId: string,
	job: Job | undefined,
): Promise<Job | undefined> {
	const { client, clock, entry, signal } = context;
	if (job !== undefined && isPaused(job)) return undefined;
	await pauseNow(context);
	if (!entry.hasPauseFailed) return undefined;
	const deadline = clock.now() + MAX_PAUSING_MS;
	const latest = await client.getJob(jobId, { signal, deadline }).catch(() => undefined);
	return latest && isFinished(latest) ? latest : undefined;
}

async function pauseNow(context: JobContext): Promise<string> {
	const { entry, clock, signal } = context;
	const pausing = pauseJob(context, entry);
	const isDone = await Promise.race([pausing, clock.sleep(MAX_PAUSING_MS, signal)]);
	if (isDone === undefined) return 'The job is being paused.';
	return isDone
		? 'The job was paused. The service fails a job that is paused for 6 hours.'
		: 'The job could not be paused: it may continue and use credits.';
}

function withStartLinks(job: Job, { started }: LedgerEntry): Job {
	return {
		...job,
		live_url: job.live_url ?? started?.live_url,
		history_url: job.history_url ?? started?.history_url,
		cdp_url: job.cdp_url ?? started?.cdp_url,
	};
}

/** Why a job has failed, as text that is safe to show; '' if the service has not said so. */
export function failureReason(client: ServiceClient, { error }: Job): string {
	return client.toPlainText(typeof error === 'string' ? error : (JSON.stringify(error) ?? ''));
}

function unsuccessful(context: JobContext, job: Job): UserError {
	const { job_id, status } = job;
	const text = failureReason(context.client, job);
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
		description: advice + linksOf(context, job),
		jobIds: [job_id],
	});
}

/** Where a person can see the job and act, as sentences. */
function linksOf({ client, entry }: JobContext, job: Job | undefined): string {
	const { started } = entry;
	const isOver = job !== undefined && isFinal(job);
	const links = [
		{ name: 'live view', url: isOver ? undefined : (job?.live_url ?? started?.live_url) },
		{ name: 'history', url: job?.history_url ?? started?.history_url },
	];
	return links
		.filter(({ url = '' }) => WEB_LINK.test(url))
		.map(({ name, url = '' }) => ` Its ${name}: ${client.toPlainText(url)}`)
		.join('');
}

function lost(jobId: string, error: unknown, afterwards: string): UserError {
	const { message, details } = toUserError(error, { jobId });
	const isUnknown = error instanceof ServiceError && error.kind === 'notFound';
	return new UserError(message, {
		...details,
		description: `${details.description ?? ''} ${isUnknown ? '' : afterwards}`.trim(),
	});
}

function timedOut(
	context: JobContext,
	jobId: string,
	{ job, error }: WaitResult,
	maxWaitMs: number,
	afterwards: string,
): UserError {
	const minutes = Number((maxWaitMs / MINUTE_MS).toFixed(2));
	const time = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const lastError =
		error instanceof ServiceError ? ` The last error: ${describeServiceError(error).message}.` : '';
	return new UserError(
		job === undefined
			? `The status of job ${jobId} could not be checked for ${time}`
			: `Job ${jobId} was still ${context.client.toPlainText(job.status, MAX_NAME_CHARACTERS)} after ${time}`,
		{
			description: `Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. ${afterwards}${lastError}${linksOf(context, job)}`,
			jobIds: [jobId],
		},
	);
}

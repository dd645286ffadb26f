import type { Job } from '../service/types';
import { describeServiceError } from '../errors/describeServiceError';
import { UserError, stopped } from '../errors/UserError';
import { ServiceError } from '../errors/ServiceError';
import { isFinished, isPaused, isSuccessful } from '../jobs/status';
import type { WaitResult } from '../jobs/waitForJob';
import type { SharedRun } from './operations/operation';
import type { WaitOptions } from '../parameters/waiting';
import { pauseAbandonedJob } from './pauseAbandonedJob';
import { withinStopGrace } from './stopGrace';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WatchedJob {
	jobId: string;
	/** Unset: somebody else started it. */
	startedAt?: number;
	waitBegan: number;
	deadline: number;
}

/** A job that is not waited for any more, and how long it took, in seconds. */
export interface FollowedResult {
	job: Job;
	durationSeconds: number;
}

const MINUTE_MS = 60_000;

/**
 * What the user makes of how a wait has ended: the job as last seen, finished or, where the options
 * say so, unsuccessful, paused or still running. Throws a `UserError` that names the job for every
 * other way. When the wait has ended early, `pauseWhenAbandoned` pauses the job first.
 */
export async function concludeWait(
	run: SharedRun,
	watched: WatchedJob,
	options: WaitOptions,
	result: WaitResult,
): Promise<FollowedResult> {
	if (result.job !== undefined) run.progress.noteEnd(result.job.status);
	const job = await outcome(run, watched.jobId, options, result);
	return { job, durationSeconds: durationSeconds(job, watched, run.clock.now()) };
}

/** Whether `concludeWait` throws for a wait that has ended like this. */
export function endsInError(
	{ reason, job }: WaitResult,
	{ onUnsuccessful, onTimeout }: WaitOptions,
): boolean {
	if (job === undefined) return true;
	if (reason === 'deadline') return onTimeout === 'fail';
	return reason !== 'ended' || (isFinished(job) && !isSuccessful(job) && onUnsuccessful === 'fail');
}

async function outcome(
	run: SharedRun,
	jobId: string,
	options: WaitOptions,
	result: WaitResult,
): Promise<Job> {
	const { reason, job, fault } = result;
	if (reason === 'ended' && job !== undefined) {
		if (endsInError(result, options)) throw unsuccessful(run, job);
		return job;
	}

	const afterwards = await abandon(run, jobId, options, job);
	if (reason === 'stopped') {
		throw stopped(`nobody waits for job ${jobId} any more`, {
			description: afterwards,
			jobIds: [jobId],
		});
	}
	if (reason === 'fault') throw lost(jobId, fault, afterwards);
	if (job !== undefined && !endsInError(result, options)) {
		return options.pauseWhenAbandoned ? await asItStands(run, job) : job;
	}
	throw timedOut(jobId, job, fault, options.maxWaitMs, afterwards);
}

/** Pauses the job if the user wants it, and says what becomes of it now. */
async function abandon(
	run: SharedRun,
	jobId: string,
	{ pauseWhenAbandoned }: WaitOptions,
	job: Job | undefined,
): Promise<string> {
	if (job !== undefined && isPaused(job)) {
		return 'The job is paused. The service fails a job that is paused for 6 hours.';
	}
	if (!pauseWhenAbandoned) return 'The job goes on and uses credits.';

	const paused = await withinStopGrace(pauseAbandonedJob(run, jobId), run);
	if (paused === undefined) return 'The job is being paused.';
	return paused.value
		? 'The job was paused. The service fails a job that is paused for 6 hours.'
		: 'The job could not be paused: it may go on and use credits.';
}

async function asItStands({ client, signal }: SharedRun, job: Job): Promise<Job> {
	try {
		return await client.getJob(job.job_id, { signal });
	} catch {
		return job;
	}
}

function unsuccessful(
	{ client }: SharedRun,
	{ job_id, status, error, history_url }: Job,
): UserError {
	const reason =
		error === undefined
			? ''
			: `: ${client.clean(typeof error === 'string' ? error : JSON.stringify(error))}`;
	const what =
		status === 'user_taken_over'
			? 'was taken over by a user'
			: status === 'canceled'
				? 'was cancelled'
				: status;
	const where = history_url === undefined ? '' : ` Its history: ${client.clean(history_url)}`;
	return new UserError(`Job ${job_id} ${what}${reason}`, {
		description: `Look at what the agent did, and change 'Directive' or the options. To get such jobs as items, set 'On Unsuccessful' to 'Return'.${where}`,
		jobIds: [job_id],
	});
}

function lost(jobId: string, fault: unknown, afterwards: string): UserError {
	if (!(fault instanceof ServiceError)) {
		const message = fault instanceof Error ? fault.message : String(fault);
		return new UserError(`Job ${jobId}: ${message}`, {
			description: afterwards,
			jobIds: [jobId],
		});
	}
	const { message, details } = describeServiceError(fault, { jobId });
	return new UserError(message, {
		...details,
		description:
			`${details.description ?? ''} ${fault.kind === 'notFound' ? '' : afterwards}`.trim(),
	});
}

function timedOut(
	jobId: string,
	job: Job | undefined,
	fault: unknown,
	maxWaitMs: number,
	afterwards: string,
): UserError {
	const minutes = Number((maxWaitMs / MINUTE_MS).toFixed(2));
	const waited = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const trouble =
		fault instanceof ServiceError ? ` At last: ${describeServiceError(fault).message}.` : '';
	return new UserError(
		job === undefined
			? `Job ${jobId} could not be looked at for ${waited}`
			: `Job ${jobId} was still ${job.status} after ${waited}`,
		{
			description: `Raise 'Max Wait Minutes', or look the job up later with Job: Wait. ${afterwards}${trouble}`,
			jobIds: [jobId],
		},
	);
}

// The service's own times are exact; ours reach to when the end was seen.
function durationSeconds(
	{ created_at, updated_at }: Job,
	{ startedAt, waitBegan }: WatchedJob,
	now: number,
): number {
	const observedMs = now - (startedAt ?? waitBegan);
	const lifeMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	const isPlausible = lifeMs > 0 && (startedAt === undefined || lifeMs <= observedMs);
	return Math.round((isPlausible ? lifeMs : observedMs) / 100) / 10;
}

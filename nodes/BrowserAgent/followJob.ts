import type { Job } from '../client/types';
import { describeServiceError } from '../errors/describeServiceError';
import { NodeProblem, stopped } from '../errors/NodeProblem';
import { ServiceError } from '../errors/ServiceError';
import { crowdOf } from '../jobs/pollCrowd';
import { isFinished, isPaused, isSuccessful } from '../jobs/status';
import { waitForJob, type PassingFault, type WaitResult } from '../jobs/waitForJob';
import type { ItemRun } from './operations/operation';
import type { WaitOptions } from './parameters/waiting';
import { pauseAbandonedJob } from './pauseAbandonedJob';
import { withinStopGrace } from './stopGrace';

/** The job to follow. */
export interface FollowedJob {
	jobId: string;
	/** When it was started, by the clock; unset: somebody else started it. */
	startedAt?: number;
}

/** A job that is not waited for any more, and how long it took, in seconds. */
export interface FollowedResult {
	job: Job;
	durationSeconds: number;
}

// Right after its start the service may not know a job everywhere.
const UNKNOWN_AT_FIRST_MS = 10_000;
// The last look is at the deadline, and may have to stand in line for a moment.
const LAST_LOOK_MS = 2_000;
const MINUTE_MS = 60_000;

/**
 * Waits for a job and returns it as last seen: finished, or, where the options say so, unsuccessful,
 * paused or still running. Throws a `NodeProblem` that names the job for every other way in which
 * the wait can end. When it ends early, `pauseWhenAbandoned` pauses the job.
 */
export async function followJob(
	run: ItemRun,
	{ jobId, startedAt }: FollowedJob,
	options: WaitOptions,
): Promise<FollowedResult> {
	const { client, clock, signal } = run;
	const began = clock.now();
	const deadline = began + options.maxWaitMs;
	const age = startedAt === undefined ? 0 : began - startedAt;
	const pace = crowdOf(client.statusBudget, clock).join(age, options.pollIntervalMs ?? 0);

	let result: WaitResult | undefined;
	try {
		// A job that was just started has nothing to tell yet.
		if (startedAt !== undefined) {
			await clock.sleep(Math.min(pace.pauseAfter(age), options.maxWaitMs), signal);
		}
		result = await waitForJob(
			async () =>
				await client.getJob(jobId, {
					signal,
					deadline: deadline + LAST_LOOK_MS,
					priority: 'background',
				}),
			{
				clock,
				deadline,
				signal,
				pauseAfter: (_poll, ageMs) => pace.pauseAfter(age + ageMs),
				wake: () => pace.wake,
				endsWait: (job) => isFinished(job) || (options.onPaused === 'return' && isPaused(job)),
				passingFault: (error) =>
					passingFault(error, startedAt === undefined ? Infinity : clock.now() - startedAt),
			},
		);
	} finally {
		pace.end(result?.job !== undefined && isFinished(result.job));
	}
	run.logger.debug(`Browser Agent job ${jobId}: the wait ended (${result.reason})`, {
		status: result.job?.status,
	});

	if (result.job !== undefined) run.progress.noteEnd(result.job.status);

	const job = await outcome(run, jobId, options, result);
	return { job, durationSeconds: durationSeconds(job, startedAt, began, clock.now()) };
}

function passingFault(error: unknown, sinceStartMs: number): PassingFault | undefined {
	if (!(error instanceof ServiceError)) return undefined;
	const isUnknownYet = error.kind === 'notFound' && sinceStartMs < UNKNOWN_AT_FIRST_MS;
	return error.isPassing || isUnknownYet ? { retryAfterMs: error.facts.retryAfterMs } : undefined;
}

async function outcome(
	run: ItemRun,
	jobId: string,
	options: WaitOptions,
	{ reason, job, fault }: WaitResult,
): Promise<Job> {
	if (reason === 'ended' && job !== undefined) {
		const isReturned = !isFinished(job) || isSuccessful(job) || options.onUnsuccessful === 'return';
		if (!isReturned) throw unsuccessful(run, job);
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
	if (options.onTimeout === 'return' && job !== undefined) {
		return options.pauseWhenAbandoned ? await asItStands(run, job) : job;
	}
	throw timedOut(jobId, job, fault, options.maxWaitMs, afterwards);
}

/** Pauses the job if the user wants it, and says what becomes of it now. */
async function abandon(
	run: ItemRun,
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

async function asItStands({ client, signal }: ItemRun, job: Job): Promise<Job> {
	try {
		return await client.getJob(job.job_id, { signal });
	} catch {
		return job;
	}
}

function unsuccessful(
	{ client }: ItemRun,
	{ job_id, status, error, history_url }: Job,
): NodeProblem {
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
	return new NodeProblem(`Job ${job_id} ${what}${reason}`, {
		description: `Look at what the agent did, and change 'Directive' or the options. To get such jobs as items, set 'On Unsuccessful' to 'Return'.${where}`,
		jobIds: [job_id],
	});
}

function lost(jobId: string, fault: unknown, afterwards: string): NodeProblem {
	if (!(fault instanceof ServiceError)) {
		const message = fault instanceof Error ? fault.message : String(fault);
		return new NodeProblem(`Job ${jobId}: ${message}`, {
			description: afterwards,
			jobIds: [jobId],
		});
	}
	const { message, details } = describeServiceError(fault, { jobId });
	return new NodeProblem(message, {
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
): NodeProblem {
	const minutes = Number((maxWaitMs / MINUTE_MS).toFixed(2));
	const waited = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	const trouble =
		fault instanceof ServiceError ? ` At last: ${describeServiceError(fault).message}.` : '';
	return new NodeProblem(
		job === undefined
			? `Job ${jobId} could not be looked at for ${waited}`
			: `Job ${jobId} was still ${job.status} after ${waited}`,
		{
			description: `Raise 'Max Wait Minutes', or look the job up later with Job: Wait. ${afterwards}${trouble}`,
			jobIds: [jobId],
		},
	);
}

// Without a start of ours, the service's own times say more than how long we have waited.
function durationSeconds(job: Job, startedAt: number | undefined, began: number, now: number) {
	const lifeMs = Date.parse(job.updated_at ?? '') - Date.parse(job.created_at ?? '');
	const observedMs = Number.isFinite(lifeMs) && lifeMs >= 0 ? lifeMs : now - began;
	return Math.round((startedAt === undefined ? observedMs : now - startedAt) / 100) / 10;
}

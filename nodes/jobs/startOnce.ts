import { untilAborted } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { quoteResponse } from '../errors/describeServiceError';
import { factsOf, kindOf, messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { UserError, stoppedError } from '../errors/UserError';
import type { StartedJob, StartRequest } from '../service/types';
import { resumeIfPaused } from './pause';
import { recordRefusal, requireCredits, throwIfRefused } from './startGuards';
import type { TrackedJob } from './TrackedJob';
import type { Work } from './Work';

/** What to start. */
export interface JobStart {
	request: StartRequest;
	/**
	 * How long to retry the start after a 429, in ms. Default: an hour. The time begins with the
	 * first 429 that arrives while no other job of the run is waited for in this process.
	 */
	maxRetryMs?: number;
	/** The credits that the account must have when the start is sent. 0: no minimum. */
	minimumCredits: number;
}

const MAX_RETRY_MS = 60 * 60_000;

/**
 * Starts the job of an item, continues with it, or refuses, by what `JobMemory` remembers of it:
 * - nothing, or a start that certainly started nothing: sends a start, and sends it again only
 *   after a 429, which proves that nothing was started,
 * - a start on its way, that of an earlier run or an equal call: waits for its response,
 * - a job: continues with it, and resumes it if the node paused it; if it has ended, `waitForEnd`
 *   reads its result again,
 * - a start whose outcome is unclear: throws a `UserError`, and sends nothing. connectItems.ts has
 *   refused most of these before.
 *
 * Also throws a `UserError` or a `ServiceError` if no job was started, if it has become unclear
 * whether one was started, or if the job can't be resumed. After a start of the run that was
 * refused because of the key or too few credits, throws its error without sending a start that
 * would be refused, too.
 */
export async function startOnce(work: Work, start: JobStart): Promise<void> {
	const { run, job } = work;
	const { signal } = run;
	// `resumeIfPaused` handles a pending pause.
	if (job.record.state === 'starting') await untilAborted(job.pendingRequest, signal);
	if (signal.aborted) throw stoppedStartError(job);

	const { state, job_id: jobId } = job.record;
	if (state === 'unclear') throw notStartedAgainError();
	if (jobId !== undefined) {
		run.logger.info(`Browser Agent picked up job ${jobId}, which had already been started`, {
			jobId,
		});
		await resumeIfPaused(work);
		return;
	}

	throwIfRefused(work, start.request);
	const sending = sendStart(work, start);
	job.recordRequest(sending);
	await untilAborted(sending, signal);
	if (job.record.job_id === undefined) throw stoppedStartError(job);
}

/** Creates the error of a run that ended before the response to a start arrived, or when it did. */
function stoppedStartError({ record: { state, job_id: jobId } }: TrackedJob): UserError {
	if (state === 'starting') {
		return stoppedError('the service had not yet responded to the request to start a job');
	}
	if (state === 'unclear') return stoppedError('it is unclear whether a job was started');
	return stoppedError(
		jobId === undefined ? 'no job was started' : `the node did not wait for job ${jobId}`,
	);
}

/**
 * Sends the start, and resends it after each 429 until time runs out. Records the outcome, even
 * after the end of the run.
 *
 * The service may allow only some jobs at a time. As long as the run waits for other jobs in this
 * process, the end of one may make room, so a 429 that arrives then sets the time back.
 */
async function sendStart(work: Work, start: JobStart): Promise<void> {
	const { run, client, job } = work;
	const { clock, executionId, logger, signal, waitsInProgress } = run;
	const { request, minimumCredits, maxRetryMs = MAX_RETRY_MS } = start;
	let giveUpAt: number | undefined;
	let lastRefusal: unknown;

	const beforeSending = async () => {
		throwIfRefused(work, request);
		await requireCredits(work, minimumCredits);
		if (signal.aborted) throw new ServiceError({ kind: 'aborted' });
		job.recordEvent('startSent');
	};
	let started: StartedJob | undefined;
	while (started === undefined) {
		try {
			const options = { signal, group: executionId, endBy: giveUpAt };
			started = await client.startJob(request, options, beforeSending);
			job.recordStarted(started);
		} catch (error) {
			if (!wasSent(job)) {
				// Too few credits, an earlier start that was refused, the end of the run, or no permit in
				// time. If that comes after a 429, the 429 is the reason.
				const timedOutAfter429 = kindOf(error) === 'queueTimeout' && lastRefusal !== undefined;
				throw timedOutAfter429 ? lastRefusal : error;
			}
			if (!provesNothingWasDone(error)) {
				recordUnclearStart(work, error);
				throw unclearStartError(work, error);
			}
			job.recordEvent('startRefused');
			recordRefusal(work, request, error);
			if (kindOf(error) !== 'rateLimited') rethrow(error);
			giveUpAt = waitsInProgress.size > 0 ? undefined : (giveUpAt ?? clock.elapsed() + maxRetryMs);
			if (giveUpAt !== undefined && clock.elapsed() >= giveUpAt) rethrow(error);
			// The rate limiter then waits for as long as the service asked it to.
			reportDelay(work, error);
			lastRefusal = error;
		}
	}
	const { job_id: jobId } = started;
	logger.info(`Browser Agent started job ${jobId}`, { jobId });
	run.onStarted(jobId);
}

/** Whether a start may have reached the service. A refusal leads back to the state `none`. */
function wasSent({ record }: TrackedJob): boolean {
	return record.state !== 'none';
}

function provesNothingWasDone(error: unknown): boolean {
	return error instanceof ServiceError && error.provesNothingWasDone;
}

/** Tells the user and the log why a job was not started at once. */
function reportDelay({ run }: Work, error: unknown): void {
	const { detail } = factsOf(error);
	const said = detail === undefined ? 'HTTP 429' : `HTTP 429, "${detail}"`;
	run.logger.info(
		`Browser Agent is waiting to start a job: the service refused it for now (${said})`,
	);
	run.showHint(
		`Some jobs had to wait for their start: the service refused them for now (${said}). If it allows only a few jobs at a time, set 'Max Parallel Jobs' to that number.`,
	);
}

/** Records and logs that a start may have started a job: from now on, no start is sent. */
function recordUnclearStart({ run, job }: Work, cause: unknown): void {
	const { statusCode } = factsOf(cause);
	const said = statusCode === undefined ? '' : `HTTP ${statusCode}, `;
	run.logger.warn(
		`Browser Agent: it is unclear whether a job was started: ${said}${messageOf(cause)}`,
	);
	job.recordEvent('startLost');
}

function unclearStartError({ run }: Work, cause: unknown): UserError {
	const facts = factsOf(cause);
	const advice =
		run.executionId === ''
			? 'before you call again. For an hour, equal calls will not start another one.'
			: 'before you run the workflow again. This execution will not start another one for this item.';
	return new UserError(
		`It is unclear whether a job was started. ${toUserError(cause).message}`,
		{
			description:
				`A job may be running and using credits. Look for it in the service's web platform ${advice} ${quoteResponse(facts)}`.trim(),
			statusCode: facts.statusCode,
		},
		cause,
	);
}

/**
 * Creates the error for every retry, and every equal call of a tool, after an unclear start.
 * `refusedUntil`: until when equal calls are refused, in ms since the epoch; unset for a retry.
 */
export function notStartedAgainError(refusedUntil?: number): UserError {
	const what =
		refusedUntil === undefined
			? 'then run the workflow again.'
			: `then call again in other words: equal calls are refused until ${new Date(refusedUntil).toISOString()}.`;
	return new UserError(
		'The job was not started again, because the first start may have succeeded',
		{
			description: `The service's response to the first request was missing or unusable, so a job may be running and using credits. Look for it in the service's web platform, ${what}`,
		},
	);
}

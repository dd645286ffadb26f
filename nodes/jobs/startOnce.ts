import { untilAborted } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { NodeFailure, stoppedError } from '../errors/NodeFailure';
import { lowerFirst, withFullStop } from '../errors/plainText';
import { factsOf, kindOf, messageOf, ServiceError } from '../errors/ServiceError';
import { quoteResponse } from '../errors/serviceErrorKinds';
import { toNodeFailure } from '../errors/toNodeFailure';
import { START_POLICY } from '../service/retryPolicies';
import type { StartedJob } from '../service/types';
import type { JobTask } from './JobTask';
import { resumeIfPaused } from './pause';
import { recordRefusedForAccount, requireCredits, throwIfRefusedForAccount } from './startGuards';
import type { TrackedJob } from './TrackedJob';
import type { Work } from './Work';
import { zonedTime } from './zonedTime';

// How long a start may find the account's limiter closed if nobody waits for its job.
const MAX_CLOSED_MS = 60 * 60_000;

/**
 * Starts the job of a task, continues with it, or throws, by what `JobMemory` remembers of it:
 * - nothing, or a start that certainly started nothing: sends a start, and sends it again only
 *   after a 429, if it has not reached the service, or after a 401 if there is a new key: all of
 *   these prove that nothing was started,
 * - a start on its way, that of an earlier run or an equal call: waits for its response,
 * - a job: continues with it, and resumes it if the node paused it; if it has ended, `waitForEnd`
 *   reads its result again,
 * - a start whose outcome is unclear: throws a `NodeFailure`, and sends nothing. Most of these
 *   items have failed already, in connectItems.ts.
 *
 * A start may find the account's limiter closed for as long as the item waits for its job, or else
 * for an hour. The time begins with the first 429, or the first closing by another start, that it
 * meets while no other job of the run is waited for in this process.
 *
 * Also throws a `NodeFailure` or a `ServiceError` if no job was started, if it has become unclear
 * whether one was started, or if the job can't be resumed. After a start of the run that was
 * refused for the account, throws its error without sending one that would be refused, too.
 */
export async function startOnce(
	work: Work,
	{ start, options }: Pick<JobTask, 'start' | 'options'>,
): Promise<void> {
	const { run, job } = work;
	const { signal } = run;
	// `resumeIfPaused` handles a pending pause.
	if (job.record.state === 'starting') await untilAborted(job.pendingRequest, signal);
	if (signal.aborted) throw stoppedStartError(job);

	const { state, job_id: jobId } = job.record;
	if (state === 'unclear') throw notStartedAgainError(job, run.timeZone);
	if (jobId !== undefined) {
		run.logger.info(`Browser Agent picked up job ${jobId}, which had already been started`, {
			jobId,
		});
		await resumeIfPaused(work);
		return;
	}

	if (start !== undefined) {
		throwIfRefusedForAccount(work, start.request);
		const sending = sendStart(work, start, options?.maxWaitMs);
		job.recordRequest(sending);
		await untilAborted(sending, signal);
	}
	if (job.record.job_id === undefined) throw stoppedStartError(job);
}

/** Creates the error of a run that ended before the response to a start arrived, or when it did. */
function stoppedStartError({ record: { state, job_id: jobId } }: TrackedJob): NodeFailure {
	if (state === 'starting') {
		return stoppedError('the service had not yet responded to the request to start a job');
	}
	if (state === 'unclear') return stoppedError('it is unclear whether a job was started');
	return stoppedError(
		jobId === undefined ? 'no job was started' : `the node did not wait for job ${jobId}`,
	);
}

/**
 * Sends the start. Sends it again
 * - after each 429, until the time is over for which it may find the limiter closed,
 * - up to twice if it has not reached the service,
 * - once after a 401, if there is a new key.
 *
 * Each try has a turn, a check of the credits and a mark of its own. Records the outcome, even
 * after the end of the run.
 */
async function sendStart(
	work: Work,
	{ request, minimumCredits }: NonNullable<JobTask['start']>,
	maxClosedMs = MAX_CLOSED_MS,
): Promise<void> {
	const { run, client, job } = work;
	const { clock, executionId, logger, signal } = run;
	const mayFindClosed = createPatience(run, maxClosedMs);
	// Unset until this try is sent. The job's state can't tell: reading the credential may take so
	// long that the next run records a start of its own meanwhile.
	let sentAt: number | undefined;
	let unsentTries = 0;
	let isWithNewKey = false;

	const waitsWhileClosed = (until: number, error: ServiceError) => {
		if (!mayFindClosed(until)) return false;
		reportClosing(work, until, error);
		return true;
	};
	const beforeSending = async () => {
		throwIfRefusedForAccount(work, request);
		await requireCredits(work, minimumCredits);
		if (signal.aborted) throw new ServiceError({ kind: 'aborted' });
		sentAt = clock.now();
		job.recordEvent('startSent');
	};
	let started: StartedJob | undefined;
	while (started === undefined) {
		sentAt = undefined;
		try {
			const turn = { signal, group: executionId, waitsWhileClosed, beforeSending };
			started = await client.startJob(request, turn);
			job.recordStarted(started);
		} catch (error) {
			// Too few credits, an earlier start that was refused for the account, a limiter that
			// stays closed for too long, or the end of the run.
			if (sentAt === undefined) rethrow(error);
			if (!provesNothingWasDone(error)) {
				recordUnclearStart(work, error, sentAt);
				throw unclearStartError(work, error, sentAt);
			}
			job.recordEvent('startFailed');
			if (kindOf(error) === 'rateLimited') {
				if (!mayFindClosed(clock.elapsed())) rethrow(error);
				// The rate limiter then waits for as long as the service asked it to.
			} else if (!isWithNewKey && (await client.hasNewKey(error))) {
				isWithNewKey = true;
			} else {
				const delayMs = START_POLICY(error, ++unsentTries);
				if (delayMs === undefined) recordRefusedForAccount(work, request, error);
				else await clock.sleep(delayMs, signal);
				if (delayMs === undefined || signal.aborted) rethrow(error);
			}
		}
	}
	const { job_id: jobId } = started;
	logger.info(`Browser Agent started job ${jobId}`, { jobId });
	run.onStarted(jobId);
}

/**
 * Returns a function that says whether a start may find the limiter closed until a time, in ms,
 * from `Clock.elapsed()`.
 *
 * The service may allow only some jobs at a time. As long as the run waits for other jobs in this
 * process, the end of one may make room, so the start's own time does not begin.
 */
function createPatience(
	{ clock, waitsInProgress }: Work['run'],
	maxClosedMs: number,
): (until: number) => boolean {
	let endsAt: number | undefined;
	return (until) => {
		const latestAt = clock.elapsed() + maxClosedMs;
		if (waitsInProgress.size === 0) endsAt ??= latestAt;
		return until <= (endsAt ?? latestAt);
	};
}

function provesNothingWasDone(error: unknown): boolean {
	return error instanceof ServiceError && error.provesNothingWasDone;
}

/**
 * Tells the user and the log why a job is not started at once: once for the time until the limiter
 * is open again, however many starts of the run meet that.
 */
function reportClosing({ run, client }: Work, until: number, error: ServiceError): void {
	const { clock, logger, reportedClosings } = run;
	const { id } = client.account;
	const reportedUntil = reportedClosings.get(id) ?? -Infinity;
	reportedClosings.set(id, Math.max(reportedUntil, until));
	if (clock.elapsed() < reportedUntil) return;

	const { detail } = error.facts;
	const said = detail === undefined ? 'HTTP 429' : `HTTP 429, "${detail}"`;
	logger.info(
		`Browser Agent is waiting to start a job: the service accepts none for now (${said})`,
	);
	run.showHint(
		`Some jobs had to wait for their start: the service accepted none for a while (${said}). If it allows only a few jobs at a time, set 'Max Parallel Jobs' to that number.`,
	);
}

/** Records and logs that a start may have started a job: while that is remembered, none is sent. */
function recordUnclearStart({ run, client, job }: Work, cause: unknown, sentAt: number): void {
	const { statusCode } = factsOf(cause);
	const said = statusCode === undefined ? '' : `HTTP ${statusCode}, `;
	run.logger.warn(
		`Browser Agent: it is unclear whether a job was started: ${said}${messageOf(cause)}`,
	);
	const sentences = [toNodeFailure(cause).message, quoteResponse(factsOf(cause))];
	const text = sentences.filter((sentence) => sentence !== '').join('. ');
	const unclearStart = { sentAt, cause: client.redactor.toPlainText(text) };
	job.recordEvent('startLost', { unclearStart });
}

function unclearStartError({ run }: Work, cause: unknown, sentAt: number): NodeFailure {
	const { message, details } = toNodeFailure(cause, { action: 'start' });
	const { executionId, isTool, timeZone } = run;
	const period =
		executionId === '' ? 'an hour, equal calls' : 'a day, equal calls in this execution';
	const where = isTool
		? `before you call again. For ${period} will not start another one.`
		: 'before you run the workflow again. Retry On Fail will not start another one.';
	return new NodeFailure(
		`It is unclear whether a job was started. ${message}`,
		{
			description: [
				`A job may be running and using credits. Look for it in the service's list of jobs ${where}`,
				withFullStop(details.description ?? ''),
				`The start was sent at ${zonedTime(sentAt, timeZone)}.`,
			]
				.filter((sentence) => sentence !== '')
				.join(' '),
			statusCode: details.statusCode,
		},
		cause,
	);
}

/**
 * Creates the error for every retry, and every equal call of a tool, after an unclear start.
 * `failsUntil`: until when equal calls of a tool fail, in ms since the epoch. Unset for a retry of
 * a node that isn't a tool, and if an equal call has waited for the start.
 */
export function notStartedAgainError(
	{ record: { unclearStart } }: TrackedJob,
	timeZone: string,
	failsUntil?: number,
): NodeFailure {
	const what =
		failsUntil === undefined
			? 'then run the workflow again.'
			: `then call again in other words: equal calls fail until ${new Date(failsUntil).toISOString()}.`;
	const first =
		unclearStart === undefined
			? ''
			: `The first start was sent at ${zonedTime(unclearStart.sentAt, timeZone)}, and its outcome is unknown: ${withFullStop(lowerFirst(unclearStart.cause))}`;
	return new NodeFailure(
		'The job was not started again, because the first start may have succeeded',
		{
			description:
				`A job may be running and using credits. Look for it in the service's list of jobs, ${what} ${first}`.trim(),
		},
	);
}

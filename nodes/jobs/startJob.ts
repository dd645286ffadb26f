import { untilAborted } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { quoteResponse } from '../errors/describeServiceError';
import { kindOf, messageOf, ServiceError, type ServiceErrorFacts } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/stoppedError';
import { UserError } from '../errors/UserError';
import type { StartRequest } from '../service/startRequests';
import type { JobSession } from './JobSession';
import type { LedgerEntry, LedgerJob } from './LedgerEntry';
import { recordRefusal, throwIfRefused } from './refusedStarts';
import { requireCredits } from './requireCredits';
import { resumeIfPaused } from './resumeIfPaused';

/** What to start. */
export interface JobStart {
	request: StartRequest;
	/**
	 * How long to retry the start after its first 429 while no other job of the run is waited for, in
	 * ms. Default: an hour.
	 */
	maxRetryMs?: number;
	/** The credits that the account must have when the start is sent. Default: no minimum. */
	minimumCredits?: number;
}

const MAX_RETRY_MS = 60 * 60_000;

/**
 * Starts the item's job, or continues with the one that an earlier run started: waits for the
 * response to its start, and resumes it if the node paused it. A start is sent again only after
 * a 429, which proves that nothing was started.
 *
 * Throws
 * - a `UserError` or a `ServiceError` if no job was started; if an earlier start of the run was
 *   refused for a reason that this one shares, its error, without sending anything,
 * - a `UserError` if it is unclear whether a job was started: then every retry throws, too, without
 *   sending anything,
 * - a `UserError` if the job can't be resumed.
 */
export async function startJob(session: JobSession, start: JobStart): Promise<LedgerJob> {
	const { entry, signal } = session;
	// Waits for the response to an earlier run's start, if it is still due. `resumeIfPaused` handles
	// a pending pause.
	if (entry.known.jobId === undefined) await untilAborted(entry.pendingRequest, signal);
	if (signal.aborted) throw stoppedError('no job was started');

	const { started } = entry.known;
	if (started !== undefined) return await continueWith(session, started);
	if (entry.state === 'startUnclear') throw notStartedAgainError();
	throwIfRefused(session, start.request);

	const sending = sendStart(session, start);
	entry.recordRequest(sending);
	const job = await untilAborted(sending, signal);
	if (job !== undefined) return job;
	throw stoppedError(
		mayHaveStarted(entry)
			? 'the service had not yet responded to the request to start a job'
			: 'no job was started',
	);
}

/** Continues with the job that an earlier run started, and returns it. */
async function continueWith(session: JobSession, started: LedgerJob): Promise<LedgerJob> {
	const { client, entry, logger } = session;
	const { job_id: jobId } = started;
	// The response to its start may have arrived after this run opened its session.
	entry.hideCdpUrls(client.redactor);
	logger.info(`Browser Agent picked up job ${jobId}, which had already been started`, { jobId });
	await resumeIfPaused(session);
	return started;
}

/**
 * Sends the start, and resends it after each 429 until time runs out. Records the outcome.
 *
 * The service may allow only some jobs at a time. While the run waits for other jobs in this
 * process, the end of one may make room, so the time doesn't run.
 */
async function sendStart(session: JobSession, start: JobStart): Promise<LedgerJob> {
	const { client, clock, entry, executionId, signal, waitsInProgress } = session;
	const { request, minimumCredits = 0, maxRetryMs = MAX_RETRY_MS } = start;
	let deadline: number | undefined;
	let lastRejection: unknown;

	const beforeSending = async () => {
		throwIfRefused(session, request);
		await requireCredits(session, minimumCredits);
		if (signal.aborted) throw new ServiceError({ kind: 'aborted' });
		entry.record('startSent');
	};
	for (;;) {
		try {
			const options = { signal, group: executionId, deadline };
			return entry.recordStarted(await client.startJob(request, options, beforeSending));
		} catch (error) {
			const kind = kindOf(error);
			if (!mayHaveStarted(entry)) {
				// Nothing was sent: an earlier start was refused, too few credits, the end of the run, or
				// no permit in time. A `queueTimeout` after a 429 is reported as that 429.
				const timedOutAfter429 = kind === 'queueTimeout' && lastRejection !== undefined;
				throw timedOutAfter429 ? lastRejection : error;
			}
			if (!provesNothingWasDone(error)) {
				const unclear = unclearStartError(session, error);
				recordUnclearStart(session, unclear, error);
				throw unclear;
			}

			entry.record('startRejected');
			recordRefusal(session, request, error);
			if (kind !== 'rateLimited') rethrow(error);
			deadline = waitsInProgress.size > 0 ? undefined : (deadline ?? clock.now() + maxRetryMs);
			if (deadline !== undefined && clock.now() >= deadline) rethrow(error);
			// The rate limiter then waits for as long as the service asked it to.
			reportDelay(session, error);
			lastRejection = error;
		}
	}
}

/** Tells the user and the log why a job was not started at once. */
function reportDelay({ logger, showHint }: JobSession, error: unknown): void {
	const { detail } = error instanceof ServiceError ? error.facts : {};
	const said = detail === undefined ? 'HTTP 429' : `HTTP 429, "${detail}"`;
	logger.info(`Browser Agent is waiting to start a job: the service refused it for now (${said})`);
	showHint(
		`Some jobs had to wait for their start: the service refused them for now (${said}). If it allows only a few jobs at a time, set 'Max Parallel Jobs' to that number.`,
	);
}

/**
 * Whether a start was sent and not rejected, so that it may have started a job: a rejected one
 * leads back to `none`.
 */
function mayHaveStarted({ state }: LedgerEntry): boolean {
	return state !== 'none';
}

function provesNothingWasDone(error: unknown): boolean {
	return error instanceof ServiceError && error.provesNothingWasDone;
}

/** Logs and records that a start may have started a job: from now on, no start is sent. */
function recordUnclearStart({ entry, logger }: JobSession, error: UserError, cause: unknown): void {
	const { statusCode } = error.details;
	const said = statusCode === undefined ? '' : `HTTP ${statusCode}, `;
	logger.warn(`Browser Agent: it is unclear whether a job was started: ${said}${messageOf(cause)}`);
	entry.record('startLost', { error });
}

function unclearStartError({ executionId }: JobSession, cause: unknown): UserError {
	const reason = toUserError(cause);
	const facts: Partial<ServiceErrorFacts> = cause instanceof ServiceError ? cause.facts : {};
	const advice =
		executionId === ''
			? 'before you call again. For an hour, equal calls will not start another one.'
			: 'before you run the workflow again. This execution will not start another one for this item.';
	return new UserError(
		`It is unclear whether a job was started. ${reason.message}`,
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
 * `refusedUntil`: until when equal calls are refused, a timestamp in ms; unset for a retry.
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

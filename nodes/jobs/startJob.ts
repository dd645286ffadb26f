import { untilAborted } from '../async/abortSignals';
import { rethrow } from '../async/rethrow';
import { kindOf, messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/stoppedError';
import { UserError } from '../errors/UserError';
import type { StartRequest } from '../service/startRequests';
import type { JobSession } from './JobSession';
import type { LedgerEntry, LedgerJob } from './LedgerEntry';
import { resumeIfPaused } from './resumeIfPaused';

/** What to start. */
export interface JobStart {
	request: StartRequest;
	/** For how long a start that gets a 429 is sent again; unset: for an hour. */
	maxWaitMs?: number;
	/** The credits that the account must have directly before the start is sent; unset: any. */
	minimumCredits?: number;
}

const MAX_RETRY_MS = 60 * 60_000;

/**
 * Starts the item's job, or returns the one that an earlier run has started. A request is sent
 * again only after a 429, which proves that nothing was started. Throws a `UserError` or a
 * `ServiceError` if no job was started, and a `UserError` if that is unclear: then every retry
 * throws without sending anything.
 */
export async function startJob(session: JobSession, start: JobStart): Promise<LedgerJob> {
	const { entry, signal } = session;
	// The start of an earlier run; a pause is waited for where the job is resumed.
	if (entry.state !== 'pausing') await untilAborted(entry.request, signal);
	if (signal.aborted) throw stoppedError('no job was started');

	const { started } = entry.known;
	if (started !== undefined) return await continueWith(session, started);
	if (entry.state === 'startUnclear') throw notStartedAgainError();

	const sending = sendStart(session, start);
	entry.recordRequest(sending);
	const job = await untilAborted(sending, signal);
	if (job !== undefined) return job;
	throw stoppedError(
		mayHaveStarted(entry) ? 'the start of a job was not answered in time' : 'no job was started',
	);
}

/** Continues with the job that an earlier run has started. */
async function continueWith(session: JobSession, started: LedgerJob): Promise<LedgerJob> {
	const { client, entry, logger } = session;
	// Its start may have been answered since this run began.
	entry.hideAddresses(client.redactor);
	logger.info(`Browser Agent continues with job ${started.job_id}, which was started before`);
	await resumeIfPaused(session);
	return started;
}

/** Sends the start, and again after each 429 until its time is over. Records what is known of it. */
async function sendStart(session: JobSession, start: JobStart): Promise<LedgerJob> {
	const { client, clock, credits, entry, execution, logger, signal } = session;
	const { request, minimumCredits = 0, maxWaitMs = MAX_RETRY_MS } = start;
	let deadline: number | undefined;
	let lastRejection: unknown;

	const beforeSending = async () => {
		await credits.require(client, minimumCredits);
		if (signal.aborted) throw new ServiceError({ kind: 'aborted' });
		entry.record('startSent');
	};
	for (;;) {
		try {
			const options = { signal, execution, deadline };
			return entry.recordStarted(await client.startJob(request, options, beforeSending));
		} catch (error) {
			const kind = kindOf(error);
			if (!mayHaveStarted(entry)) {
				// Too few credits, the end of the run, or no permit in time, which an earlier 429 explains.
				const isExplained = kind === 'queueTimeout' && lastRejection !== undefined;
				throw isExplained ? lastRejection : error;
			}
			if (!isCertainlyNotStarted(error)) throw recordUnclearStart(session, error);

			entry.record('startRejected');
			deadline ??= clock.now() + maxWaitMs;
			if (kind !== 'rateLimited' || clock.now() >= deadline) rethrow(error);
			// The rate limiter waits as long as the service has asked for.
			logger.debug('Browser Agent waits to start a job: the start limit is exceeded');
			lastRejection = error;
		}
	}
}

/** Whether a start was sent and not rejected, so that it may have started a job. */
function mayHaveStarted({ state }: LedgerEntry): boolean {
	return state !== 'none';
}

function isCertainlyNotStarted(error: unknown): boolean {
	return error instanceof ServiceError && error.isDefinitelyNotProcessed;
}

/** Returns the error of a start that may have started a job; from now on, none is sent again. */
function recordUnclearStart({ entry, logger }: JobSession, cause: unknown): UserError {
	logger.warn(`Browser Agent: it is unclear whether a job was started: ${messageOf(cause)}`);
	const error = unclearStartError(cause);
	entry.record('startLost', { error });
	return error;
}

function unclearStartError(error: unknown): UserError {
	const reason = toUserError(error);
	const { statusCode, detail } = error instanceof ServiceError ? error.facts : {};
	// Without a status code, the detail is what the network said.
	const said = statusCode === undefined || detail === undefined ? '' : ` The response: ${detail}`;
	return new UserError(
		`It is unclear whether a job was started; a job may be running. ${reason.message}`,
		{
			description: `A job may be running and using credits. Look for it in the service's web platform before you run this again. It is not started a second time in this execution.${said}`,
			statusCode,
		},
		error,
	);
}

/** The error of every retry after an unclear start. */
export function notStartedAgainError(): UserError {
	return new UserError('Not started again: a job may have been started before', {
		description:
			"The first start got no usable response from the service, so a job may be running and using credits. Look for it in the service's web platform, then run the workflow again.",
	});
}

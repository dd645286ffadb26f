import { untilAborted } from '../async/abortSignals';
import { rethrown } from '../async/rethrown';
import { kindOf, messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { stoppedError } from '../errors/stoppedError';
import { UserError } from '../errors/UserError';
import type { StartRequest } from '../service/startRequests';
import type { JobSession } from './JobSession';
import type { LedgerJob } from './LedgerEntry';
import { resumeIfPaused } from './resumeJob';

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
	const { client, entry, logger, signal } = session;
	// The start of an earlier run; a pause is waited for where the job is resumed.
	if (entry.state !== 'pausing') await untilAborted(entry.request, signal);
	if (signal.aborted) throw stoppedError('no job was started');
	if (entry.known.started === undefined) {
		if (entry.state === 'startUnclear') throw notStartedAgainError();
		const sending = send(session, start);
		entry.recordRequest(sending);
		await untilAborted(sending, signal);
	} else {
		// It may have been answered since this run began.
		entry.hideAddresses(client.redactor);
		const { job_id } = entry.known.started;
		logger.info(`Browser Agent continues with job ${job_id}, which was started before`);
		await resumeIfPaused(session);
	}
	const { started, state } = entry.known;
	if (started !== undefined) return started;
	throw stoppedError(
		state === 'none' ? 'no job was started' : 'the start of a job was not answered in time',
	);
}

async function send(session: JobSession, start: JobStart): Promise<void> {
	const { client, clock, credits, entry, execution, logger, signal } = session;
	const { minimumCredits = 0 } = start;
	let deadline: number | undefined;
	let rejection: unknown;

	const beforeSending = async () => {
		await credits.require(client, minimumCredits);
		if (signal.aborted) throw new ServiceError({ kind: 'aborted' });
		entry.record('startSent');
	};
	for (;;) {
		try {
			const options = { signal, execution, deadline };
			entry.recordStarted(await client.startJob(start.request, options, beforeSending));
			return;
		} catch (error) {
			const kind = kindOf(error);
			// Nothing was sent: there was no permit in time, the account has too few credits, or the run
			// has ended.
			if (entry.state === 'none') {
				throw kind === 'queueTimeout' ? (rejection ?? error) : error;
			}
			recordFailedStart(session, error);
			deadline ??= clock.now() + (start.maxWaitMs ?? MAX_RETRY_MS);
			if (kind !== 'rateLimited' || clock.now() >= deadline) throw rethrown(error);
			// The rate limiter waits as long as the service has asked for.
			logger.debug('Browser Agent waits to start a job: the start limit is exceeded');
			rejection = error;
		}
	}
}

/** Enters what a failed start proves. Throws if it is unclear whether a job was started. */
function recordFailedStart({ entry, logger }: JobSession, error: unknown): void {
	if (error instanceof ServiceError && error.isDefinitelyNotProcessed) {
		entry.record('startRejected');
		return;
	}
	logger.warn(`Browser Agent: it is unclear whether a job was started: ${messageOf(error)}`);
	const unclear = unclearStartError(error);
	entry.record('startLost', { error: unclear });
	throw unclear;
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

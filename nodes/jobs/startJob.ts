import { anySignal, untilAborted, whenAborted } from '../async/abortSignals';
import { kindOf, messageOf, rethrown, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { stoppedError, UserError } from '../errors/UserError';
import type { StartRequest } from '../service/startRequests';
import type { RunBrowserAgentRequest } from '../service/types';
import type { LedgerJob } from './JobLedger';
import type { SpendGuard } from './SpendGuard';
import { pauseIfWanted, type JobContext } from './waitOutcome';

/** What is needed to start an item's job. */
export interface StartContext extends JobContext {
	/** Names the execution for its fair share of the rate limit. */
	execution: string;
	/** Ends a start that waits for its turn, and allows none, while the account has too few credits. */
	guard?: Pick<SpendGuard, 'signal' | 'allow'>;
	/** Throws if the account has too few credits for a new job. */
	requireCredits(): Promise<void>;
}

/** What to start. */
export interface JobStart {
	request: StartRequest;
	/** For messages, e.g. "workflow wf_1"; unset for an agent. */
	subject?: string;
	/** For how long a start that gets a 429 is sent again; unset: for an hour. */
	maxWaitMs?: number;
}

const MAX_RETRY_MS = 60 * 60_000;

/**
 * Starts the item's job, or returns the one that an earlier try has started. A request is sent again
 * only after a 429, which proves that nothing was started.
 * Throws a `UserError` if there is no job, and if that is unclear: then every further try throws, too,
 * without sending anything.
 */
export async function startJob(context: StartContext, start: JobStart): Promise<LedgerJob> {
	const { entry, signal } = context;
	// The start of an earlier try or, by a tool, of an equal call at the same time.
	while (entry.sending !== undefined && !signal.aborted) {
		await untilAborted(entry.settled(), signal);
	}
	if (signal.aborted) throw stoppedError('no job was started');
	if (entry.started !== undefined) return await pickUp(context, start, entry.started);
	if (entry.state === 'unclear') throw notStartedAgain();

	entry.sending = send(context, start);
	const started = await Promise.race([entry.sending, whenAborted(signal)]);
	if (started !== undefined) return started;
	throw stoppedError(
		entry.state === 'none' ? 'no job was started' : 'the start of a job was not answered in time',
	);
}

/**
 * Resumes a job that the node has paused, or may have paused, when it gave up an earlier try. Throws a
 * `UserError` if it is unclear whether the job runs again, after another pause if its policy says so; a
 * further try resumes it.
 */
export async function resumeIfPaused(
	context: JobContext & Pick<StartContext, 'guard'>,
): Promise<void> {
	const { client, entry, guard, logger, signal } = context;
	// The pause of an earlier try may still be on its way.
	if (entry.pausing !== undefined) await untilAborted(entry.pausing, signal);
	const { state, pausing, hasPauseFailed, jobId } = entry;
	if (!entry.mayBePaused || state === 'finished' || jobId === undefined || signal.aborted) return;
	await guard?.allow();
	// From here on it may be running, so that a Stop has to pause it again.
	entry.state = 'running';
	entry.job &&= { ...entry.job, status: 'running' };
	entry.pausing = undefined;
	entry.hasPauseFailed = false;
	try {
		await client.resumeJob(jobId, { signal });
	} catch (error) {
		if (!(error instanceof ServiceError) || error.isTransient || error.kind === 'aborted') {
			const isCertain = error instanceof ServiceError && error.isDefinitelyNotProcessed;
			if (isCertain) Object.assign(entry, { state, pausing, hasPauseFailed });
			else if (!signal.aborted) await pauseIfWanted(context);
			throw rethrown(toUserError(error, { jobId }));
		}
		// Somebody else may have resumed it: the next poll tells.
		logger.warn(`Browser Agent could not resume job ${jobId}: ${messageOf(error)}`);
	}
	entry.mayBePaused = false;
}

async function pickUp(
	context: StartContext,
	{ request }: JobStart,
	started: LedgerJob,
): Promise<LedgerJob> {
	// The client of the earlier try knew them.
	const { cdp_url } = request.body as Partial<RunBrowserAgentRequest>;
	context.client.hideUrl(cdp_url);
	context.client.hideUrl(started.cdp_url, started.job_id);
	context.logger.info(`Browser Agent continues with job ${started.job_id} of an earlier try`);
	await resumeIfPaused(context);
	return started;
}

async function send(context: StartContext, start: JobStart): Promise<LedgerJob> {
	const { client, entry, clock, guard, execution, logger } = context;
	const signal = guard ? anySignal(context.signal, guard.signal) : context.signal;
	let deadline: number | undefined;
	let rejection: unknown;
	try {
		await guard?.allow();
		await context.requireCredits();
		entry.queuedAt = clock.now();
		for (;;) {
			try {
				const options = { signal, execution, deadline };
				const onSending = () => entry.noteSending();
				return entry.noteStarted(await client.startJob(start.request, options, onSending));
			} catch (error) {
				checkNotUnclear(context, start, error);
				const kind = kindOf(error);
				if (kind === 'aborted') guard?.signal.throwIfAborted();
				deadline ??= clock.now() + (start.maxWaitMs ?? MAX_RETRY_MS);
				if (kind !== 'rateLimited' || clock.now() >= deadline) {
					const reason = kind === 'queueTimeout' ? (rejection ?? error) : error;
					throw rethrown(toUserError(reason, { subject: start.subject, isStart: true }));
				}
				// The rate limiter waits as long as the service has asked for.
				logger.debug('Browser Agent waits to start a job: the start limit is exceeded');
				rejection = error;
			}
		}
	} finally {
		entry.sending = undefined;
	}
}

/** Enters what a failed start proves. Throws if it is unclear whether a job was started. */
function checkNotUnclear({ entry, logger }: StartContext, start: JobStart, error: unknown): void {
	entry.noteRejected(error);
	if (entry.state !== 'unclear') return;
	logger.warn(`Browser Agent: it is unclear whether a job was started: ${messageOf(error)}`);
	entry.error = unclearStart(error, start.subject);
	throw entry.error;
}

function unclearStart(error: unknown, subject: string | undefined): UserError {
	const reason = toUserError(error, { subject });
	return new UserError(
		`It is unclear whether a job was started; a job may be running. ${reason.message}`,
		{
			description:
				"A job may be running and using credits. Look for it in the service's web platform before you run this again. It is not started a second time in this execution.",
			statusCode: reason.details.statusCode,
		},
	);
}

/** The error of every try after an unclear start. */
export function notStartedAgain(): UserError {
	return new UserError('Not started again: an earlier try may have started a job already', {
		description:
			"The first try got no usable response from the service, so a job may be running and using credits. Look for it in the service's web platform, then run the workflow again.",
	});
}

import { limitConcurrency } from '../async/limitConcurrency';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { LedgerEntry } from './LedgerEntry';

type PauseSession = Pick<JobSession, 'clock' | 'executionId' | 'logger'>;

const MAX_MS = 5 * 60_000;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
// Short enough to retry a request that gets no response.
const MAX_TRY_MS = 7_000;
const MAX_CONCURRENT = 10;
const MAX_FIRST_TRY_MS = 5_000;

/**
 * Pauses a job. Resolves after the first try, which includes a status check if the service refuses
 * the pause. Unless the job was then seen paused, taken over or ended, more tries follow in the
 * background. Never throws: the entry's state tells whether it worked.
 *
 * Does nothing without a client (default: that of the entry's owner) or a job ID, if the entry's
 * state allows no pause, and while another request for the job is pending.
 */
export async function pauseJob(
	session: PauseSession,
	entry: LedgerEntry,
	client = entry.owner?.client,
): Promise<void> {
	const { jobId } = entry.known;
	if (client === undefined || jobId === undefined || entry.pendingRequest) return;
	entry.record('pauseSent');
	if (entry.state !== 'pausing') return;

	const end = new AbortController();
	await new Promise<void>((afterTry) => {
		const pausing = pauseUntilDone(session, entry, { client, jobId, afterTry, signal: end.signal });
		entry.recordRequest(pausing, () => end.abort());
	});
}

/**
 * Pauses the job of a wait that ended early, while its run continues, if the policy is `onEarlyEnd`
 * and no user has paused the job. Waits for the first try, but no longer than five seconds or until
 * the run ends. Never throws. `shouldPause` (nodes/BrowserAgent/shouldPause.ts) has the rule for
 * the end of a run.
 */
export async function pauseWhenWaitEndsEarly(session: JobSession): Promise<void> {
	const { clock, entry, signal } = session;
	if (entry.pausePolicy !== 'onEarlyEnd' || entry.state === 'userPaused') return;
	await Promise.race([pauseJob(session, entry), clock.sleep(MAX_FIRST_TRY_MS, signal)]);
}

/** Pauses several jobs, ten at a time, and resolves after the first try for each. Never throws. */
export async function pauseJobs(session: PauseSession, entries: LedgerEntry[]): Promise<void> {
	// Their run may be over before the last one has its turn, and then the entries have no owner.
	const pauses = entries.map((entry) => ({ entry, client: entry.owner?.client }));
	await limitConcurrency(pauses, MAX_CONCURRENT, async ({ entry, client }) => {
		await pauseJob(session, entry, client);
	});
}

/** What all tries to pause a job share. */
interface Pausing {
	client: ServiceClient;
	jobId: string;
	/** Called after each try. */
	afterTry: () => void;
	/** Prevents more tries. Not the execution's signal: the job outlives the execution. */
	signal: AbortSignal;
}

/**
 * Sends a pause again and again until the job is seen paused, taken over or ended, for five
 * minutes, whatever the answers: a job that nobody waits for must not run on because of a page of
 * a proxy. Ends earlier only if a retry, or an identical tool call, continues with the job.
 */
async function pauseUntilDone(
	session: PauseSession,
	entry: LedgerEntry,
	{ afterTry, signal, ...job }: Pausing,
): Promise<void> {
	const { clock, logger } = session;
	const deadline = clock.now() + MAX_MS;
	for (let failures = 0; ; failures++) {
		const error = await sendPause(session, entry, job);
		afterTry();
		if (entry.state !== 'pauseUnclear') return;

		const leftMs = deadline - clock.now();
		if (leftMs <= 0) {
			const { jobId } = job;
			logger.warn(`Browser Agent gave up pausing job ${jobId}, which may still be running`, {
				jobId,
			});
			return;
		}
		// Even if the service asks for a longer delay: the job uses credits meanwhile.
		const delayMs = Math.min(backoffMs(error, failures, BACKOFF), BACKOFF.maxMs, leftMs);
		await clock.sleep(delayMs, signal);
		if (signal.aborted) return;
		entry.record('pauseSent');
	}
}

/**
 * Sends a pause once; if the service refuses it, reads the job's status. Records `pauseFailed` and
 * returns the error if neither a confirmation nor the status shows that the agent no longer works
 * on the job. Never throws.
 */
async function sendPause(
	{ clock, executionId, logger }: PauseSession,
	entry: LedgerEntry,
	{ client, jobId }: Pick<Pausing, 'client' | 'jobId'>,
): Promise<unknown> {
	const tryOptions = () => ({ group: executionId, deadline: clock.now() + MAX_TRY_MS });
	try {
		await client.pauseJob(jobId, tryOptions());
	} catch (error) {
		logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`, { jobId });
		if (!isTransient(error)) await readStatus(entry, client.getJob(jobId, tryOptions()));
		entry.record('pauseFailed');
		if (entry.state !== 'pauseUnclear') {
			const { status = '' } = entry.known.job ?? {};
			const shown = client.redactor.toPlainText(status, MAX_NAME_CHARACTERS);
			logger.info(`Browser Agent stopped pausing job ${jobId}: its status is '${shown}'`, {
				jobId,
			});
		}
		return error;
	}
	entry.record('pauseDone');
	logger.info(`Browser Agent paused job ${jobId} because nothing is waiting for it anymore`, {
		jobId,
	});
	return undefined;
}

async function readStatus(entry: LedgerEntry, read: Promise<Job>): Promise<void> {
	const job = await read.catch(() => {});
	if (job !== undefined) entry.recordSeen(job);
}

function isTransient(error: unknown): boolean {
	return error instanceof ServiceError && error.isTransient;
}

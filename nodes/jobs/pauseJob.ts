import { limitConcurrency } from '../async/limitConcurrency';
import { rethrow } from '../async/rethrow';
import { retry, type RetryPolicy } from '../async/retry';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { JobSession } from './JobSession';
import type { LedgerEntry } from './LedgerEntry';
import { isProvisioning } from './status';

type PauseSession = Pick<JobSession, 'clock' | 'executionId' | 'logger'>;

const BACKOFF = { firstMs: 500, maxMs: 5_000 };
const MAX_MS = 5 * 60_000;
// Short enough to retry a request that gets no response.
const MAX_TRY_MS = 7_000;
const MAX_CONCURRENT = 10;
const MAX_FIRST_TRY_MS = 5_000;

/**
 * Pauses a job. Resolves after the first try, which includes a status check if the service refuses
 * the pause. If the job can't be paused yet, more tries follow in the background, for up to five
 * minutes. Never throws: the entry's state tells whether it worked.
 *
 * Does nothing if the entry has no owner or no job ID, if its state allows no pause, and while
 * another request for the job is pending.
 */
export async function pauseJob(session: PauseSession, entry: LedgerEntry): Promise<void> {
	const { client } = entry.owner ?? {};
	const { jobId } = entry.known;
	if (client === undefined || jobId === undefined || entry.pendingRequest) return;
	entry.record('pauseSent');
	if (entry.state !== 'pausing') return;

	const end = new AbortController();
	await new Promise<void>((afterTry) => {
		const pausing = tryToPause(session, entry, { client, jobId, afterTry, signal: end.signal });
		entry.recordRequest(pausing, () => end.abort());
	});
}

/**
 * Pauses the job of a wait that ended early, while its run continues, if the policy is `always`
 * and no user has paused the job. Waits for the first try, but no longer than five seconds or until
 * the run ends. Never throws. `shouldPause` (nodes/BrowserAgent/shouldPause.ts) has the rule for
 * the end of a run.
 */
export async function pauseWhenWaitEndsEarly(session: JobSession): Promise<void> {
	const { clock, entry, signal } = session;
	if (entry.pausePolicy !== 'always' || entry.state === 'userPaused') return;
	await Promise.race([pauseJob(session, entry), clock.sleep(MAX_FIRST_TRY_MS, signal)]);
}

/** Pauses several jobs, ten at a time, and resolves after the first try for each. Never throws. */
export async function pauseJobs(session: PauseSession, entries: LedgerEntry[]): Promise<void> {
	await limitConcurrency(entries, MAX_CONCURRENT, async (entry) => await pauseJob(session, entry));
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
 * Pauses the job. Tries again for up to five minutes, after transient errors and while the job is
 * being provisioned. Never throws: records `pauseGivenUp` when it gives up.
 */
async function tryToPause(
	session: PauseSession,
	entry: LedgerEntry,
	pausing: Pausing,
): Promise<void> {
	const { clock } = session;
	const { afterTry, signal } = pausing;
	const deadline = clock.now() + MAX_MS;
	const retryPolicy: RetryPolicy = (error, failures) => {
		const { job } = entry.known;
		const mayBePausedSoon = isTransient(error) || (job !== undefined && isProvisioning(job));
		const delayMs = backoffMs(error, failures - 1, BACKOFF);
		return mayBePausedSoon && clock.now() + delayMs < deadline ? delayMs : undefined;
	};
	const pauseOnce = async () => {
		try {
			await sendPause(session, entry, pausing);
		} finally {
			afterTry();
		}
	};
	try {
		await retry(pauseOnce, { clock, policy: retryPolicy, signal });
	} catch {
		entry.record('pauseGivenUp');
	}
}

/**
 * Sends a pause once; if the service refuses it, reads the job's status. Throws if the job may
 * still run: neither a confirmation nor the status shows that it is paused or has ended.
 */
async function sendPause(
	{ clock, executionId, logger }: PauseSession,
	entry: LedgerEntry,
	{ client, jobId }: Pausing,
): Promise<void> {
	const tryOptions = () => ({ group: executionId, deadline: clock.now() + MAX_TRY_MS });
	try {
		await client.pauseJob(jobId, tryOptions());
	} catch (error) {
		logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`);
		// A transient error of this read lets the pause be tried again, too.
		if (!isTransient(error)) entry.recordSeen(await client.getJob(jobId, tryOptions()));
		if (entry.state === 'pausing') rethrow(error);
		return;
	}
	entry.record('pauseDone');
	logger.info(`Browser Agent paused job ${jobId} because nothing is waiting for it anymore`);
}

function isTransient(error: unknown): boolean {
	return error instanceof ServiceError && error.isTransient;
}

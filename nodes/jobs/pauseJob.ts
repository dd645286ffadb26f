import { limitConcurrency } from '../async/limitConcurrency';
import { rethrow } from '../async/rethrow';
import { retry, type RetryPolicy } from '../async/retry';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { JobSession } from './JobSession';
import type { LedgerEntry } from './LedgerEntry';
import { isProvisioning } from './status';

type PauseSession = Pick<JobSession, 'clock' | 'execution' | 'logger'>;

const BACKOFF = { firstMs: 500, maxMs: 5_000 };
const MAX_MS = 5 * 60_000;
// Leaves time to repeat a request that gets no response.
const MAX_TRY_MS = 7_000;
const MAX_CONCURRENT = 10;
const MAX_PAUSE_ANSWER_MS = 5_000;

/**
 * Pauses a job. Resolves as soon as the first request has been answered; if the job can't be paused
 * yet, further ones follow in the background. Does nothing while a pause is under way. Never
 * throws: the entry's state tells whether it worked.
 */
export async function pauseJob(session: PauseSession, entry: LedgerEntry): Promise<void> {
	const { client } = entry.owner ?? {};
	const { jobId } = entry.known;
	if (client === undefined || jobId === undefined) return;
	entry.record('pauseSent');
	if (entry.state !== 'pausing' || entry.request) return;

	const end = new AbortController();
	await new Promise<void>((onAnswer) => {
		const pausing = tryToPause(session, entry, { client, jobId, onAnswer, signal: end.signal });
		entry.recordRequest(pausing, () => end.abort());
	});
}

/**
 * Pauses the job of a wait that has ended early, if its policy says so. Waits up to five seconds
 * for the first answer.
 */
export async function pauseWhenWaitEndsEarly(session: JobSession): Promise<void> {
	const { clock, entry, signal } = session;
	if (entry.policy !== 'always' || entry.state === 'userPaused') return;
	await Promise.race([pauseJob(session, entry), clock.sleep(MAX_PAUSE_ANSWER_MS, signal)]);
}

/** Pauses several jobs, a few at a time. */
export async function pauseJobs(session: PauseSession, entries: LedgerEntry[]): Promise<void> {
	await limitConcurrency(entries, MAX_CONCURRENT, async (entry) => await pauseJob(session, entry));
}

/** What all tries to pause a job share. */
interface Pausing {
	client: ServiceClient;
	jobId: string;
	/** Called when a try was answered. */
	onAnswer: () => void;
	/** Ends further tries. The execution's signal must not: the job outlives the execution. */
	signal: AbortSignal;
}

/**
 * Tries again for up to five minutes, after transient errors and while the job is being
 * provisioned.
 */
async function tryToPause(
	session: PauseSession,
	entry: LedgerEntry,
	pausing: Pausing,
): Promise<void> {
	const { clock } = session;
	const { onAnswer, signal } = pausing;
	const deadline = clock.now() + MAX_MS;
	const policy: RetryPolicy = (error, failures) => {
		const { job } = entry.known;
		const mayBePausedSoon = isTransient(error) || (job !== undefined && isProvisioning(job));
		const pauseMs = backoffMs(error, failures - 1, BACKOFF);
		return mayBePausedSoon && clock.now() + pauseMs < deadline ? pauseMs : undefined;
	};
	const pauseOnce = async () => {
		try {
			await sendPause(session, entry, pausing);
		} finally {
			onAnswer();
		}
	};
	try {
		await retry(pauseOnce, { clock, policy, signal });
	} catch {
		entry.record('pauseFailed');
	}
}

/**
 * Sends one pause. Throws if the job may still run: the pause failed, and the job's status shows
 * neither a pause nor its end, or could not be read.
 */
async function sendPause(
	{ clock, execution, logger }: PauseSession,
	entry: LedgerEntry,
	{ client, jobId }: Pausing,
): Promise<void> {
	const inTime = () => ({ execution, deadline: clock.now() + MAX_TRY_MS });
	try {
		await client.pauseJob(jobId, inTime());
	} catch (error) {
		logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`);
		// If the status can't be read for a transient reason, the pause is tried again.
		if (!isTransient(error)) entry.recordSeen(await client.getJob(jobId, inTime()));
		if (entry.state === 'pausing') rethrow(error);
		return;
	}
	entry.record('pauseDone');
	logger.info(`Browser Agent paused job ${jobId} because nothing waits for it any more`);
}

function isTransient(error: unknown): boolean {
	return error instanceof ServiceError && error.isTransient;
}

import { limitConcurrency } from '../async/limitConcurrency';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { JobContext } from './JobContext';
import type { LedgerEntry } from './LedgerEntry';
import { isProvisioning } from './status';

type PauseContext = Pick<JobContext, 'clock' | 'execution' | 'logger'>;

const BACKOFF = { firstMs: 500, maxMs: 5_000 };
const MAX_MS = 30_000;
// Leaves time to repeat a request that gets no response.
const MAX_ATTEMPT_MS = 7_000;
const MAX_CONCURRENT = 10;

/**
 * Pauses a job, or joins a pause in flight. Repeats the request for half a minute after transient errors,
 * and while the job is provisioned. Never throws: the entry's state tells the outcome.
 */
export async function pauseJob(context: PauseContext, entry: LedgerEntry): Promise<void> {
	const { client } = entry.owner ?? {};
	const { jobId } = entry.facts;
	if (client === undefined || jobId === undefined) return;
	entry.record('pauseSent');
	if (entry.state !== 'pausing') return;
	if (!entry.request) entry.recordRequest(sendPause(context, entry, client, jobId));
	await entry.request;
}

/** Pauses several jobs, a few at a time. */
export async function pauseJobs(context: PauseContext, entries: LedgerEntry[]): Promise<void> {
	await limitConcurrency(entries, MAX_CONCURRENT, async (entry) => await pauseJob(context, entry));
}

async function sendPause(
	{ clock, execution, logger }: PauseContext,
	entry: LedgerEntry,
	client: ServiceClient,
	jobId: string,
): Promise<void> {
	const deadline = clock.now() + MAX_MS;
	// The execution's signal must not end the request: the execution is over, the job is not.
	const attempt = () => ({
		execution,
		deadline: Math.min(deadline, clock.now() + MAX_ATTEMPT_MS),
	});
	for (let errorsBefore = 0; ; errorsBefore++) {
		try {
			await client.pauseJob(jobId, attempt());
			entry.record('pauseDone');
			logger.info(`Browser Agent paused job ${jobId}, since its wait has ended`);
			return;
		} catch (error) {
			logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`);
			const isTransient = error instanceof ServiceError && error.isTransient;
			// It may have ended, or be paused already.
			const job = isTransient ? undefined : await client.getJob(jobId, attempt()).catch(() => {});
			if (job !== undefined) entry.recordSeen(job);
			if (entry.state !== 'pausing') return;
			const pauseMs = backoffMs(error, errorsBefore, BACKOFF);
			const mayBePausedSoon = isTransient || (job !== undefined && isProvisioning(job));
			if (!mayBePausedSoon || clock.now() + pauseMs >= deadline) break;
			await clock.sleep(pauseMs);
		}
	}
	entry.record('pauseFailed');
}

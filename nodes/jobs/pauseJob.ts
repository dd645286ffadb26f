import type { Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/backoff';
import type { LedgerEntry } from './JobLedger';
import { isProvisioning } from './status';

/** What is needed to pause a job. */
export interface PauseContext {
	clock: Clock;
	logger: Logger;
}

const BACKOFF = { firstMs: 500, maxMs: 5_000 };
const MAX_MS = 30_000;
const MAX_CONCURRENT = 10;
// So that a request without a response is repeated in time.
const MAX_ATTEMPT_MS = 7_000;

/**
 * Pauses a job that nobody waits for any more, so that it uses no more credits. Repeats the request for
 * up to half a minute after transient errors, and when the job was still being provisioned; never
 * throws. Returns whether the job is paused.
 */
export async function pauseJob(context: PauseContext, entry: LedgerEntry): Promise<boolean> {
	entry.pausing ??= sendPause(context, entry);
	entry.hasPauseFailed = !(await entry.pausing);
	return !entry.hasPauseFailed;
}

async function sendPause({ clock, logger }: PauseContext, entry: LedgerEntry): Promise<boolean> {
	const { client, jobId } = entry;
	if (client === undefined || jobId === undefined) return false;
	const deadline = clock.now() + MAX_MS;
	entry.mayBePaused = true;
	for (let errorsBefore = 0; ; errorsBefore++) {
		try {
			// Without the execution's signal: the execution is over, the job is not.
			const attemptEnd = Math.min(deadline, clock.now() + MAX_ATTEMPT_MS);
			await client.pauseJob(jobId, { deadline: attemptEnd });
			entry.state = 'paused';
			logger.info(`Browser Agent paused job ${jobId}, since its wait has ended`);
			return true;
		} catch (error) {
			logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`);
			if (!(error instanceof ServiceError) || !(error.isTransient || mayRunSoon(entry)))
				return false;
			const pauseMs = backoffMs(error, errorsBefore, BACKOFF);
			if (clock.now() + pauseMs >= deadline) return false;
			await clock.sleep(pauseMs);
		}
	}
}

function mayRunSoon({ facts }: LedgerEntry): boolean {
	return isProvisioning({ status: facts?.status ?? '' });
}

/** Pauses several jobs, a few at a time. */
export async function pauseJobs(context: PauseContext, entries: LedgerEntry[]): Promise<void> {
	await limitConcurrency(entries, MAX_CONCURRENT, async (entry) => await pauseJob(context, entry));
}

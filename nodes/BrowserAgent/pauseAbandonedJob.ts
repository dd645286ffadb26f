import { ServiceError } from '../errors/ServiceError';
import type { ItemRun } from './operations/operation';

const TRIES = 5;
const FIRST_PAUSE_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Pauses a job that nobody waits for any more, so that it uses no more credits. Goes on trying for
 * up to half a minute when the service cannot take the request; never throws.
 * Returns whether the service has accepted it.
 */
export async function pauseAbandonedJob(
	{ client, clock, logger }: Pick<ItemRun, 'client' | 'clock' | 'logger'>,
	jobId: string,
): Promise<boolean> {
	const deadline = clock.now() + LONGEST_MS;
	for (let attempt = 0; attempt < TRIES && clock.now() < deadline; attempt++) {
		try {
			// Without the execution's signal: the execution is over, the job is not.
			await client.pauseJob(jobId);
			logger.info(`Browser Agent paused job ${jobId}, which nobody waits for any more`);
			return true;
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			logger.warn(`Browser Agent could not pause job ${jobId}: ${message}`);
			if (!(error instanceof ServiceError) || !error.isTransient) return false;
			const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** attempt, error.facts.retryAfterMs ?? 0);
			if (clock.now() + pauseMs >= deadline) return false;
			await clock.sleep(pauseMs);
		}
	}
	return false;
}

import type { Clock } from '../async/clock';
import { rethrown, ServiceError } from '../errors/ServiceError';

const MAX_ATTEMPTS = 3;
// If the service asks for a longer pause, the caller gets the error and may do something else.
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Repeats a request that changes nothing, twice at most, after a transient error: after the pause the
 * service asks for, or after 1 s and 2 s. Throws the error of the last attempt.
 */
export async function retryRead<T>(
	request: () => Promise<T>,
	{ signal }: { signal?: AbortSignal },
	clock: Clock,
): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await request();
		} catch (error) {
			const pauseMs = pauseAfter(error, attempt);
			if (pauseMs === undefined || attempt === MAX_ATTEMPTS || signal?.aborted === true) {
				throw rethrown(error);
			}
			await clock.sleep(pauseMs, signal);
		}
	}
}

// After a queue timeout the caller has waited long enough.
function pauseAfter(error: unknown, attempt: number): number | undefined {
	if (!(error instanceof ServiceError) || !error.isTransient) return undefined;
	if (error.kind === 'queueTimeout') return undefined;
	const pauseMs = backoffMs(error, attempt - 1, BACKOFF);
	return pauseMs > BACKOFF.maxMs ? undefined : pauseMs;
}

/**
 * The pause before the next request after so many errors in a row, in ms: twice as long each time, up to
 * `maxMs`, but no shorter than the service asks for.
 */
export function backoffMs(
	error: unknown,
	errorsBefore: number,
	{ firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
	const wantedMs = error instanceof ServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
	return Math.max(wantedMs, Math.min(firstMs * 2 ** errorsBefore, maxMs));
}

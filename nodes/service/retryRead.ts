import type { Clock } from '../async/clock';
import { rethrown, ServiceError } from '../errors/ServiceError';

const MAX_ATTEMPTS = 3;
// If the service asks for a longer pause, the caller gets the error and may do something else.
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/** Repeats a read twice at most, after transient errors and a pause as long as the service asks for. */
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

/** The pause after errors in a row, in ms: doubled each time up to `maxMs`, or what the service asks for. */
export function backoffMs(
	error: unknown,
	errorsBefore: number,
	{ firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
	const wantedMs = error instanceof ServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
	return Math.max(wantedMs, Math.min(firstMs * 2 ** errorsBefore, maxMs));
}

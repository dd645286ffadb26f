import type { RetryPolicy } from '../async/retry';
import { factsOf, ServiceError, type ServiceErrorKind } from '../errors/ServiceError';

const MAX_TRIES = 3;
// If the service asks for a delay of more than `maxMs`, the error is thrown instead.
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/** Repeats a read after any transient error but `queueTimeout`. */
export const READ_POLICY = repeatAfter(() => true);

/** Repeats a pause or a resume if it has not reached the service, and after a 429. */
export const COMMAND_POLICY = repeatAfter(
	(kind) => kind === 'unreachable' || kind === 'rateLimited',
);

/** Repeats a start only if it has not reached the service. startOnce.ts repeats it after a 429. */
export const START_POLICY = repeatAfter((kind) => kind === 'unreachable');

/**
 * Tries a call up to three times, after transient errors of these kinds. Waits for 1 s, then 2 s,
 * or for as long as the service asks; gives up if that is more than a minute.
 */
function repeatAfter(isRepeatable: (kind: ServiceErrorKind) => boolean): RetryPolicy {
	return (error, failures) => {
		if (!(error instanceof ServiceError) || !error.isTransient) return undefined;
		// After `queueTimeout` the call has waited long enough.
		if (error.kind === 'queueTimeout' || !isRepeatable(error.kind)) return undefined;
		const delayMs = backoffMs(error, failures - 1, BACKOFF);
		return failures === MAX_TRIES || delayMs > BACKOFF.maxMs ? undefined : delayMs;
	};
}

/**
 * Returns how long to wait after an error, in ms: `firstMs`, doubled for each of `errorsBefore`
 * errors in a row, up to `maxMs`. If the service asks for a longer delay, returns that.
 */
export function backoffMs(
	error: unknown,
	errorsBefore: number,
	{ firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
	const { retryAfterMs: wantedMs = 0 } = factsOf(error);
	return Math.max(wantedMs, Math.min(firstMs * 2 ** errorsBefore, maxMs));
}

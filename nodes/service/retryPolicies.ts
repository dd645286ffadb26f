import type { RetryPolicy } from '../async/retry';
import { factsOf, ServiceError } from '../errors/ServiceError';

const MAX_TRIES = 3;
// If the service asks for a delay of more than `maxMs`, the error is thrown instead.
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Tries a read up to three times, after transient errors. Waits for 1 s, then 2 s, or for as long
 * as the service asks; gives up if that is more than a minute.
 */
export const READ_POLICY: RetryPolicy = (error, failures) => {
	// After `queueTimeout` the call has waited long enough.
	const isRepeatable =
		error instanceof ServiceError && error.isTransient && error.kind !== 'queueTimeout';
	return isRepeatable ? limitedBackoffMs(error, failures) : undefined;
};

/**
 * Repeats a command only after a 429, which proves that nothing was done, with the same limits and
 * delays as a read.
 */
export const COMMAND_POLICY: RetryPolicy = (error, failures) => {
	const isRepeatable = error instanceof ServiceError && error.kind === 'rateLimited';
	return isRepeatable ? limitedBackoffMs(error, failures) : undefined;
};

function limitedBackoffMs(error: ServiceError, failures: number): number | undefined {
	const delayMs = backoffMs(error, failures - 1, BACKOFF);
	return failures === MAX_TRIES || delayMs > BACKOFF.maxMs ? undefined : delayMs;
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

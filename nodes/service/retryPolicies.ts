import type { RetryPolicy } from '../async/retry';
import { ServiceError } from '../errors/ServiceError';

const MAX_TRIES = 3;
// If the service asks for a longer pause, the caller gets the error and may do something else.
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/**
 * A read is repeated twice at most, after transient errors and a pause as long as the service asks
 * for.
 */
export const READ_POLICY: RetryPolicy = (error, failures) => {
	// After a queue timeout the caller has waited long enough.
	const isRepeated =
		error instanceof ServiceError && error.isTransient && error.kind !== 'queueTimeout';
	return isRepeated ? limitedBackoffMs(error, failures) : undefined;
};

/**
 * A command is repeated only after a 429, which proves that nothing was done; how often, as a read.
 */
export const COMMAND_POLICY: RetryPolicy = (error, failures) => {
	const isRepeated = error instanceof ServiceError && error.kind === 'rateLimited';
	return isRepeated ? limitedBackoffMs(error, failures) : undefined;
};

function limitedBackoffMs(error: ServiceError, failures: number): number | undefined {
	const pauseMs = backoffMs(error, failures - 1, BACKOFF);
	return failures === MAX_TRIES || pauseMs > BACKOFF.maxMs ? undefined : pauseMs;
}

/**
 * The pause after errors in a row, in ms: doubled each time up to `maxMs`, or what the service asks
 * for.
 */
export function backoffMs(
	error: unknown,
	errorsBefore: number,
	{ firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
	const wantedMs = error instanceof ServiceError ? (error.facts.retryAfterMs ?? 0) : 0;
	return Math.max(wantedMs, Math.min(firstMs * 2 ** errorsBefore, maxMs));
}

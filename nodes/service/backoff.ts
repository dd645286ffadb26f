import { ServiceError } from '../errors/ServiceError';

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

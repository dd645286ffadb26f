import type { Job } from '../service/types';

/**
 * Returns the job's duration in ms, by the service's own timestamps. Undefined if they are missing,
 * or if the duration is not positive or exceeds `maxMs`.
 */
export function jobDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

/** Converts ms to seconds with one decimal place, as items have them. */
export function toSeconds(ms: number): number {
	return Math.round(ms / 100) / 10;
}

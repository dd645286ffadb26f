import type { Job } from '../service/types';

/**
 * The job's duration by the service's own times, in ms; undefined without them or beyond `maxMs`.
 */
export function jobDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

/** Seconds with one digit after the point, as items have them. */
export function toSeconds(ms: number): number {
	return Math.round(ms / 100) / 10;
}

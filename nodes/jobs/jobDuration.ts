import type { Job } from '../service/types';

/**
 * Returns the job's duration in ms, by the service's own timestamps. Undefined if they are missing,
 * or if the duration is not positive or exceeds `maxMs`.
 */
export function reportedDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

/**
 * Returns the duration in ms of a job whose end was seen at `seenAt`: as the service reports it or,
 * if that is implausible, the time since `startedAt`. Undefined if only that is left, and this node
 * didn't start the job. `startedAt` and `seenAt` are timestamps in ms, from `Clock.now()`.
 */
export function jobDurationMs(
	job: Job,
	startedAt: number | undefined,
	seenAt: number,
): number | undefined {
	// A job that was started elsewhere may have been running for any time.
	const observedMs = startedAt === undefined ? undefined : seenAt - startedAt;
	return reportedDurationMs(job, observedMs) ?? observedMs;
}

/** Converts ms to seconds with one decimal place, as items have them. */
export function toSeconds(ms: number): number {
	return Math.round(ms / 100) / 10;
}

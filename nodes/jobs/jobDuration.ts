import type { Job } from '../service/types';

const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/;

/**
 * Returns the job's duration in ms, by the service's own timestamps, which are in UTC unless they
 * have an offset. Undefined if they are missing, or if the duration is not positive or exceeds
 * `maxMs`.
 */
export function reportedDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = toTimestamp(updated_at) - toTimestamp(created_at);
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

// JavaScript takes a time without an offset for local time, in which a day may have 23 hours.
function toTimestamp(time = ''): number {
	return Date.parse(WITHOUT_OFFSET.test(time) ? `${time}Z` : time);
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

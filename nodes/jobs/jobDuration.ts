import type { Job } from '../service/types';

/**
 * How long a job has taken by the service's own times, in ms, which are exact; undefined if it sent
 * none, or times that can't be right, since the job took at most `maxMs`.
 */
export function jobDurationMs({ created_at, updated_at }: Job, maxMs: number): number | undefined {
	const durationMs = Date.parse(updated_at ?? '') - Date.parse(created_at ?? '');
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

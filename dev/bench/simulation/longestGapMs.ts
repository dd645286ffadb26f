import type { ArrivedPoll } from '../../engine/SimulatedAccount';

/** The longest time without a poll of a job, in ms, if all waits began at 0. */
export function longestGapMs(polls: ArrivedPoll[]): number {
	const lastPollAt = new Map<string, number>();
	let longest = 0;
	for (const { jobId, at } of polls) {
		longest = Math.max(longest, at - (lastPollAt.get(jobId) ?? 0));
		lastPollAt.set(jobId, at);
	}
	return longest;
}

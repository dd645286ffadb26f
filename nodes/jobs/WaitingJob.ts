import type { Permit } from '../service/RateLimiter';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WaitingJob {
	/** When it was started or, if that is unknown, when the wait began. */
	startedAt: number;
	/** When it was seen last, if only by its start; unset: never. */
	seenAt?: number;
	/** It is not polled more often, except once at its deadline. */
	minIntervalMs: number;
	deadline: number;
	/** Ends the wait when it is aborted. */
	signal: AbortSignal;
	/**
	 * Sends one poll and releases the permit. Returns for how many ms at least there is no need for
	 * another one, or undefined if the wait is over. Never rejects.
	 */
	poll(permit: Permit): Promise<number | undefined>;
	/** The wait has ended, and not by what a poll has returned. */
	end(reason: 'deadline' | 'aborted'): void;
}

/** A waiting job's entry in the scheduler's list. */
export interface WaitEntry {
	job: WaitingJob;
	/** When it was polled or seen last; unset: never. */
	lastPollAt?: number;
	/** After an error, it is not polled before this time. */
	notBefore: number;
	isPolling: boolean;
	/** How its next interval is spread: from -1, shortest, to 1, longest. */
	jitter: number;
}

import type { Turn } from '../service/RateLimiter';
import type { Job } from '../service/types';
import type { JobKinds } from './DurationHistory';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WaitingJob {
	jobId: string;
	/** What it is an example of, for its likely duration. */
	kinds: JobKinds;
	/** When the job was started or, if that is unknown, when the wait began. */
	bornAt: number;
	/** Whether it was just started, so that there is nothing to see yet. */
	isNew: boolean;
	/** It is not polled more often, except once at its deadline. */
	minIntervalMs: number;
	deadline: number;
	/** Ends the wait when it is aborted. */
	signal: AbortSignal;
	poll(turn: Turn): Promise<Job>;
	/** A poll has brought this; returns whether the wait is over. */
	receive(job: Job): boolean;
	/** A poll has failed; returns the pause before the next one, or undefined if the wait is over. */
	fail(error: unknown): number | undefined;
	/** The wait has ended early. */
	end(reason: 'deadline' | 'aborted'): void;
}

/** A waiting job's line in the scheduler's list. */
export interface WaitEntry {
	job: WaitingJob;
	lastPollAt: number;
	/** Not polled before this time, after an error. */
	notBefore: number;
	isPolling: boolean;
	/** Spreads the polls of processes that began together. */
	jitter: number;
	/** Set once the deadline has passed: until then it may still get its last poll. */
	lastPollBy?: number;
}

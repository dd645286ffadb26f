import type { Permit, RateLimiter } from '../service/RateLimiter';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WaitingJob {
	/** When it was started or, if that is unknown, when the wait began. */
	startedAt: number;
	/** When it was seen last, if only by its start; unset: never. */
	seenAt?: number;
	/** It is not polled more often, except once at its deadline. */
	minIntervalMs: number;
	deadline: number;
	signal: AbortSignal;
	/**
	 * Sends a poll, and releases the permit. Returns the ms without need of another one, or undefined if the wait
	 * is over. Never rejects.
	 */
	poll(permit: Permit): Promise<number | undefined>;
	/** Called when the wait has ended for another reason than the result of a poll. */
	end(reason: 'deadline' | 'aborted'): void;
}

/** A waiting job's entry in the scheduler's list. */
export interface WaitEntry {
	job: WaitingJob;
	lastPollAt?: number;
	/** After an error, it is not polled for at least this long. */
	pauseMs: number;
	isPolling: boolean;
	/** How its next interval is spread: from -1, shortest, to 1, longest. */
	jitter: number;
}

const MIN_MS = 1_000;
// A delay of seconds is noticed for jobs of up to a quarter of an hour, and not for longer ones.
const MAX_MS_OF_SHORT_JOBS = 5_500;
const MAX_MS = 30_000;
const POLLS_PER_AGE = 17;
const POLLS_PER_AGE_OF_LONG_JOBS = 150;
// Keeps processes that began together from polling together. The fair turn is the same for all jobs, so it
// varies less.
const OWN_JITTER = 0.15;
const FAIR_JITTER = 0.05;

/** The job that is due first, and the clock's time at which it is; without a job: never. */
export interface NextPoll {
	entry?: WaitEntry;
	dueAt: number;
}

/**
 * A job is due again after an interval that suits its age or, if that is longer, after its fair turn among all
 * waiting jobs: a full round when no calls are free, nothing while all are. A final poll comes first.
 * `heldPermits` count as free calls, so that a job that was due when they were acquired still is.
 */
export function choosePoll(
	entries: ReadonlySet<WaitEntry>,
	limiter: Pick<RateLimiter, 'callsPerMs' | 'allowedCalls' | 'freeCalls'>,
	now: number,
	heldPermits = 0,
): NextPoll {
	const freeShare = (limiter.freeCalls + heldPermits) / limiter.allowedCalls;
	const fairMs = (entries.size / limiter.callsPerMs) * (1 - freeShare);
	let next: NextPoll = { dueAt: Infinity };
	for (const entry of entries) {
		if (entry.isPolling) continue;
		const dueAt = dueTime(entry, fairMs, now);
		if (dueAt < next.dueAt) next = { entry, dueAt };
	}
	return next;
}

function dueTime(entry: WaitEntry, fairMs: number, now: number): number {
	const { job, lastPollAt, pauseMs, jitter } = entry;
	if (now >= job.deadline) return -Infinity;
	if (lastPollAt === undefined) return job.startedAt;
	const ownTurnMs = ownIntervalMs(now - job.startedAt) * (1 + OWN_JITTER * jitter);
	const fairTurnMs = fairMs * (1 + FAIR_JITTER * jitter);
	return lastPollAt + Math.max(ownTurnMs, fairTurnMs, job.minIntervalMs, pauseMs);
}

/** In ms. In proportion to the age, it delays the end of each job by the same share of its duration. */
export function ownIntervalMs(ageMs: number): number {
	const short = Math.min(ageMs / POLLS_PER_AGE, MAX_MS_OF_SHORT_JOBS);
	const long = Math.min(ageMs / POLLS_PER_AGE_OF_LONG_JOBS, MAX_MS);
	return Math.max(MIN_MS, short, long);
}

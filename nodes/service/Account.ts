import type { Clock } from '../async/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './documentedValues';
import { RateLimiter } from './RateLimiter';

// Right after a job starts, some of the service's servers may not know it yet.
const MAY_BE_UNKNOWN_MS = 10_000;

/**
 * The rate limits of one account of the service, and the jobs that this process has just started
 * with it. All clients of an account in this process share it.
 */
export class Account {
	/** Limits the requests that start jobs. */
	readonly starts: RateLimiter;

	/** Limits the status calls. */
	readonly polls: RateLimiter;

	/** Limits the reads of the credit balance. */
	readonly balance: RateLimiter;

	/** Timestamps of recent starts, by job ID. */
	private readonly recentStarts = new Map<string, number>();

	/**
	 * `name` identifies the account within this process. `random` is passed on to the rate limiters.
	 */
	constructor(
		readonly name: string,
		private readonly clock: Clock,
		limits: ServiceLimits = SERVICE_LIMITS,
		random: () => number = Math.random,
	) {
		this.starts = new RateLimiter(limits.start, clock, random);
		this.polls = new RateLimiter(limits.status, clock, random);
		this.balance = new RateLimiter(limits.balance, clock, random);
	}

	/** Records that this process has just started a job. */
	recordStart(jobId: string): void {
		const now = this.clock.now();
		for (const [known, startedAt] of this.recentStarts) {
			if (now - startedAt >= MAY_BE_UNKNOWN_MS) this.recentStarts.delete(known);
		}
		this.recentStarts.set(jobId, now);
	}

	/**
	 * Whether a 404 for the job is inconclusive, because this process started it less than ten
	 * seconds ago.
	 */
	mayBeUnknownYet(jobId: string): boolean {
		const startedAt = this.recentStarts.get(jobId);
		return startedAt !== undefined && this.clock.now() - startedAt < MAY_BE_UNKNOWN_MS;
	}
}

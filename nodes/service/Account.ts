import type { Clock } from '../async/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './documentedValues';
import { RateLimiter } from './RateLimiter';

// Right after a start, the service may not know the job everywhere.
const MAY_BE_UNKNOWN_MS = 10_000;

/** What the service counts per account, and what this process knows of it. */
export class Account {
	readonly starts: RateLimiter;

	readonly polls: RateLimiter;

	readonly balance: RateLimiter;

	private readonly recentStarts = new Map<string, number>();

	/** `name` tells it from all others. */
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

	/** Whether a 404 for the job means nothing yet, since it was started only seconds ago. */
	mayBeUnknownYet(jobId: string): boolean {
		const startedAt = this.recentStarts.get(jobId);
		return startedAt !== undefined && this.clock.now() - startedAt < MAY_BE_UNKNOWN_MS;
	}
}

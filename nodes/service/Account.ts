import type { Clock } from '../async/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './documentedValues';
import { RateLimiter } from './RateLimiter';

// A start's 429 without a Retry-After may be a cap on concurrent jobs. This process has not called
// too often then, so the only thing to do is to ask again from time to time.
const CAP_RETRY_MS = 20_000;
const MAX_START_RETRY_AFTER_MS = 60 * 60_000;

/**
 * The rate limits for one base URL and API key, which all clients in this process share. A client
 * that has to load its credential again has limits of its own.
 */
export class Account {
	/** Limits the requests that start jobs. */
	readonly starts: RateLimiter;

	/** Limits the status calls. */
	readonly polls: RateLimiter;

	/** Limits the reads of the credit balance. */
	readonly balance: RateLimiter;

	/**
	 * `id` identifies the account within this process. `random` is passed on to the rate limiters.
	 */
	constructor(
		readonly id: string,
		clock: Clock,
		limits: ServiceLimits = SERVICE_LIMITS,
		random: () => number = Math.random,
	) {
		this.starts = new RateLimiter(limits.start, clock, {
			random,
			closedMsWithoutRetryAfter: CAP_RETRY_MS,
			maxRetryAfterMs: MAX_START_RETRY_AFTER_MS,
		});
		this.polls = new RateLimiter(limits.status, clock, { random });
		this.balance = new RateLimiter(limits.balance, clock, { random });
	}
}

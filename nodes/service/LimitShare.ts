import type { Clock } from '../async/clock';
import type { RateLimit } from './documentedValues';

const MIN_SHARE = 1 / 256;
const SHARE_KEPT = 0.75;
// A reduced share stays as it is for this many calls before it grows, by this factor in each window:
// each probe for spare capacity may cost a refused call.
const CALLS_BEFORE_GROWTH = 40;
const MAX_WINDOWS_BEFORE_GROWTH = 8;
const GROWTH_PER_WINDOW = 1.42;
const DEFAULT_RETRY_AFTER_MS = 5_000;
// Processes whose Retry-After ends in the same second don't resume together.
const MAX_JITTER_IN_WINDOWS = 0.5;

/**
 * How much of a rate limit this process takes: all of it, until a 429 shows that other processes
 * use the account, too. Each 429 reduces the share; after a plateau it grows back, as in TCP's
 * CUBIC. Times are the clock's, in ms.
 */
export class LimitShare {
	/** The share as it was right after the last 429. */
	private reducedShare = 1;

	private reducedAt = 0;

	private retryAt = 0;

	constructor(
		private readonly limit: RateLimit,
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/** The share at present: 1 is the whole limit. */
	get current(): number {
		if (this.reducedShare === 1) return 1;
		const { calls, windowMs } = this.limit;
		const calmMs = this.clock.now() - Math.max(this.reducedAt, this.closedUntil);
		const plateau = CALLS_BEFORE_GROWTH / (calls * this.reducedShare);
		const growing = calmMs / windowMs - Math.min(plateau, MAX_WINDOWS_BEFORE_GROWTH);
		return Math.min(1, this.reducedShare * GROWTH_PER_WINDOW ** Math.max(0, growing));
	}

	/** The ms between its calls when they are spaced evenly. */
	get spacingMs(): number {
		return this.limit.windowMs / (this.limit.calls * this.current);
	}

	/** Before this time no call may be sent: a 429 has said when to try again. */
	get closedUntil(): number {
		return this.retryAt;
	}

	/** A call that was sent at `sentAt` was refused with 429, with this Retry-After. */
	reduce(sentAt: number, retryAfterMs = DEFAULT_RETRY_AFTER_MS): void {
		const now = this.clock.now();
		// A call sent before the last reduction says nothing about the share after it.
		if (sentAt >= this.reducedAt) {
			this.reducedShare = Math.max(MIN_SHARE, this.current * SHARE_KEPT);
			this.reducedAt = now;
		}
		const maxJitterMs = Math.min(this.spacingMs, this.limit.windowMs * MAX_JITTER_IN_WINDOWS);
		const jitterMs = maxJitterMs * this.random();
		this.retryAt = Math.max(this.closedUntil, now + retryAfterMs + jitterMs);
	}
}

import type { Clock } from '../async/clock';
import type { RateLimit } from './documentedValues';

const MIN_SHARE = 1 / 256;
const SHARE_KEPT = 0.75;
// A reduced share stays the same for as long as `CALLS_BEFORE_GROWTH` calls take at its rate, but
// for `MAX_WINDOWS_BEFORE_GROWTH` windows at most: each probe for spare capacity may cost a call
// that is rate limited. Then it grows by the factor `GROWTH_PER_WINDOW` in each window.
const CALLS_BEFORE_GROWTH = 40;
const MAX_WINDOWS_BEFORE_GROWTH = 8;
const GROWTH_PER_WINDOW = 1.42;
const DEFAULT_RETRY_AFTER_MS = 5_000;
// Spreads processes whose Retry-After ends in the same second.
const MAX_JITTER_IN_WINDOWS = 0.5;

/**
 * The fraction of a rate limit that this process uses: all of it, until a 429 suggests that other
 * processes use the account, too. Such a 429 reduces the share. After a plateau, it grows back.
 * Times are in ms, from `Clock.elapsed()`.
 */
export class RateShare {
	/** The share right after the last reduction. */
	private reducedShare = 1;

	private reducedAt = 0;

	private retryAt = 0;

	/** `random` returns numbers from 0 to 1, as `Math.random` does. */
	constructor(
		private readonly limit: RateLimit,
		private readonly clock: Clock,
		private readonly random: () => number,
	) {}

	/** The current share: 1 is the whole limit. */
	get current(): number {
		if (this.reducedShare === 1) return 1;
		const { calls, windowMs } = this.limit;
		const calmMs = this.clock.elapsed() - Math.max(this.reducedAt, this.closedUntil);
		const plateau = CALLS_BEFORE_GROWTH / (calls * this.reducedShare);
		const growing = calmMs / windowMs - Math.min(plateau, MAX_WINDOWS_BEFORE_GROWTH);
		return Math.min(1, this.reducedShare * GROWTH_PER_WINDOW ** Math.max(0, growing));
	}

	/** The interval in ms between evenly spaced calls at the current share. */
	get spacingMs(): number {
		return this.limit.windowMs / (this.limit.calls * this.current);
	}

	/** Until when 429s have closed the limit. */
	get closedUntil(): number {
		return this.retryAt;
	}

	/** Closes the limit for this long, in ms. The share stays as it is. */
	close(ms: number): void {
		this.retryAt = Math.max(this.closedUntil, this.clock.elapsed() + ms);
	}

	/**
	 * Records that a call whose turn came at `grantedAt` was rate limited. Closes the limit until its
	 * Retry-After is over, and reduces the share, unless it has been reduced since that turn.
	 */
	reduce(grantedAt: number, retryAfterMs = DEFAULT_RETRY_AFTER_MS): void {
		const now = this.clock.elapsed();
		// A call before the last reduction says nothing about the share after it.
		if (grantedAt >= this.reducedAt) {
			this.reducedShare = Math.max(MIN_SHARE, this.current * SHARE_KEPT);
			this.reducedAt = now;
		}
		const maxJitterMs = Math.min(this.spacingMs, this.limit.windowMs * MAX_JITTER_IN_WINDOWS);
		this.close(retryAfterMs + maxJitterMs * this.random());
	}
}

import { document } from '../document';
import type { LimiterKind, LimitSettings, RateLimits } from '../types';

/** What is limited, per account. Starts of agents and of workflows share one limit. */
export type RateLimitName = 'starts' | 'polls' | 'balances';

interface RateLimiter {
	/** Counts the call and returns 0, or returns the ms until a call will be allowed again. */
	tryAcquire(now: number): number;
}

/** Allows `calls` within any period of `windowMs`. */
class SlidingWindowLimiter implements RateLimiter {
	/** Times of the calls allowed in the last window, oldest first. */
	private readonly allowed: number[] = [];

	constructor(
		private readonly calls: number,
		private readonly windowMs: number,
	) {}

	tryAcquire(now: number): number {
		while ((this.allowed[0] ?? now) <= now - this.windowMs) this.allowed.shift();
		if (this.allowed.length >= this.calls) return (this.allowed[0] ?? now) + this.windowMs - now;
		this.allowed.push(now);
		return 0;
	}
}

/** Allows `calls` in each of the consecutive windows, which begin at multiples of `windowMs`. */
class FixedWindowLimiter implements RateLimiter {
	private window = -1;
	private allowed = 0;

	constructor(
		private readonly calls: number,
		private readonly windowMs: number,
	) {}

	tryAcquire(now: number): number {
		const window = Math.floor(now / this.windowMs);
		if (window !== this.window) {
			this.window = window;
			this.allowed = 0;
		}
		if (this.allowed >= this.calls) return (window + 1) * this.windowMs - now;
		this.allowed++;
		return 0;
	}
}

const unlimited: RateLimiter = { tryAcquire: () => 0 };

function documentedLimits(): RateLimits {
	const documented = document['x-rate-limits'];
	return {
		startsPerWindow: documented.startsPerMinute,
		statusPerWindow: documented.statusPerMinute,
		balancePerWindow: documented.balancePerMinute,
		windowSeconds: 60,
	};
}

/** The rate limits of a sandbox, with separate limiters for each account. */
export class RateLimiters {
	private limits: RateLimits | 'off' = documentedLimits();
	private kind: LimiterKind = 'sliding';
	private byAccount = new Map<string, Record<RateLimitName, RateLimiter>>();

	constructor(settings: LimitSettings) {
		this.configure(settings);
	}

	/** Changes the settings that are given and forgets all calls counted so far. */
	configure({ limits, limiter }: LimitSettings): void {
		if (limits !== undefined) {
			this.limits = limits === 'off' ? 'off' : { ...documentedLimits(), ...limits };
		}
		this.kind = limiter ?? this.kind;
		this.byAccount = new Map();
	}

	get windowMs(): number {
		return (this.limits === 'off' ? documentedLimits() : this.limits).windowSeconds * 1000;
	}

	/** Counts the call and returns 0, or returns the ms until a call will be allowed again. */
	tryAcquire(accountKey: string, limit: RateLimitName, now: number): number {
		const limiters = this.byAccount.get(accountKey) ?? this.createLimiters();
		this.byAccount.set(accountKey, limiters);
		return limiters[limit].tryAcquire(now);
	}

	private createLimiters(): Record<RateLimitName, RateLimiter> {
		if (this.limits === 'off') return { starts: unlimited, polls: unlimited, balances: unlimited };
		const Limiter = this.kind === 'fixed' ? FixedWindowLimiter : SlidingWindowLimiter;
		const { startsPerWindow, statusPerWindow, balancePerWindow } = this.limits;
		return {
			starts: new Limiter(startsPerWindow, this.windowMs),
			polls: new Limiter(statusPerWindow, this.windowMs),
			balances: new Limiter(balancePerWindow, this.windowMs),
		};
	}
}

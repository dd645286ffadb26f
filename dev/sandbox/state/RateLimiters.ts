import { document } from '../document';
import type { LimiterKind, LimitSettings, RateLimits } from '../types';

export type Budget = 'starts' | 'polls' | 'balances';

/** Counts a call and returns 0, or returns for how many milliseconds there is no room for it. */
export interface Limiter {
	admit(now: number): number;
}

/** Calls in the last window count, wherever the window begins. */
class SlidingLimiter implements Limiter {
	/** A ring of the last admitted calls; the slot to be written next holds the oldest. */
	private readonly admitted: number[];
	private oldest = 0;

	constructor(
		private readonly calls: number,
		private readonly windowMs: number,
	) {
		this.admitted = new Array<number>(calls).fill(-Infinity);
	}

	admit(now: number): number {
		if (this.calls === 0) return this.windowMs;
		const waitMs = (this.admitted[this.oldest] ?? -Infinity) + this.windowMs - now;
		if (waitMs > 0) return waitMs;
		this.admitted[this.oldest] = now;
		this.oldest = (this.oldest + 1) % this.calls;
		return 0;
	}
}

/** Windows lie end to end; at each end the count begins anew. */
class FixedLimiter implements Limiter {
	private window = -1;
	private admitted = 0;

	constructor(
		private readonly calls: number,
		private readonly windowMs: number,
	) {}

	admit(now: number): number {
		const window = Math.floor(now / this.windowMs);
		if (window !== this.window) {
			this.window = window;
			this.admitted = 0;
		}
		if (this.admitted >= this.calls) return (window + 1) * this.windowMs - now;
		this.admitted++;
		return 0;
	}
}

const unlimited: Limiter = { admit: () => 0 };

function documentedLimits(): RateLimits {
	const documented = document['x-rate-limits'];
	return {
		startsPerWindow: documented.startsPerMinute,
		statusPerWindow: documented.statusPerMinute,
		balancePerWindow: documented.balancePerMinute,
		windowSeconds: 60,
	};
}

/** The limits of one sandbox, with the limiters of each of its accounts. */
export class RateLimiting {
	private limits: RateLimits | 'off' = documentedLimits();
	private kind: LimiterKind = 'sliding';
	private byAccount = new Map<string, Record<Budget, Limiter>>();

	constructor(settings: LimitSettings) {
		this.change(settings);
	}

	/** Every account begins anew. */
	change({ limits, limiter }: LimitSettings): void {
		if (limits !== undefined) {
			this.limits = limits === 'off' ? 'off' : { ...documentedLimits(), ...limits };
		}
		this.kind = limiter ?? this.kind;
		this.byAccount = new Map();
	}

	get windowMs(): number {
		return (this.limits === 'off' ? documentedLimits() : this.limits).windowSeconds * 1000;
	}

	admit(accountKey: string, budget: Budget, now: number): number {
		let limiters = this.byAccount.get(accountKey);
		if (!limiters) {
			limiters = this.createLimiters();
			this.byAccount.set(accountKey, limiters);
		}
		return limiters[budget].admit(now);
	}

	private createLimiters(): Record<Budget, Limiter> {
		if (this.limits === 'off') return { starts: unlimited, polls: unlimited, balances: unlimited };
		const Limiter = this.kind === 'fixed' ? FixedLimiter : SlidingLimiter;
		const { startsPerWindow, statusPerWindow, balancePerWindow } = this.limits;
		return {
			starts: new Limiter(startsPerWindow, this.windowMs),
			polls: new Limiter(statusPerWindow, this.windowMs),
			balances: new Limiter(balancePerWindow, this.windowMs),
		};
	}
}

import { document } from '../document';
import type { LimiterKind, LimitSettings, RateLimits } from '../types';

/** What is limited, per account. Starts of agents and of workflows share one limit. */
export type RateLimitName = 'starts' | 'polls' | 'balances';

/** Times of calls in sandbox time, oldest first. */
interface Calls {
	all: number[];
	allowed: number[];
}

function documentedLimits(): RateLimits {
	const documented = document['x-rate-limits'];
	return {
		startsPerWindow: documented.startsPerMinute,
		statusPerWindow: documented.statusPerMinute,
		balancePerWindow: documented.balancePerMinute,
		windowSeconds: 60,
	};
}

/** The rate limits of a sandbox, which count the calls of each account separately. */
export class RateLimiters {
	/** Peak number of calls by one account in any sliding window, including those above the limit. */
	readonly peaks: Record<RateLimitName, number> = { starts: 0, polls: 0, balances: 0 };
	private limits = documentedLimits();
	private isOff = false;
	private kind: LimiterKind = 'sliding';
	private calls = new Map<string, Calls>();

	constructor(settings: LimitSettings) {
		this.configure(settings);
	}

	/** Changes the settings that are given and forgets all calls counted so far. */
	configure({ limits, limiter }: LimitSettings): void {
		if (limits !== undefined) {
			this.isOff = limits === 'off';
			this.limits = { ...documentedLimits(), ...(limits === 'off' ? {} : limits) };
		}
		this.kind = limiter ?? this.kind;
		this.calls = new Map();
	}

	/** Counts the call and returns 0, or returns the ms until a call will be allowed again. */
	tryAcquire(accountKey: string, name: RateLimitName, now: number): number {
		const key = `${name} ${accountKey}`;
		const { all, allowed } = this.calls.get(key) ?? { all: [], allowed: [] };
		this.calls.set(key, { all, allowed });
		const windowMs = this.limits.windowSeconds * 1000;
		dropUntil(all, now - windowMs);
		all.push(now);
		this.peaks[name] = Math.max(this.peaks[name], all.length);
		if (this.isOff) return 0;

		const fixedStart = Math.floor(now / windowMs) * windowMs;
		if (this.kind === 'sliding') dropUntil(allowed, now - windowMs);
		else if ((allowed[0] ?? now) < fixedStart) allowed.length = 0;
		if (allowed.length < this.limitOf(name)) {
			allowed.push(now);
			return 0;
		}
		const start = this.kind === 'sliding' ? (allowed[0] ?? now) : fixedStart;
		return start + windowMs - now;
	}

	private limitOf(name: RateLimitName): number {
		const { startsPerWindow, statusPerWindow, balancePerWindow } = this.limits;
		return { starts: startsPerWindow, polls: statusPerWindow, balances: balancePerWindow }[name];
	}
}

function dropUntil(times: number[], end: number): void {
	while (times[0] !== undefined && times[0] <= end) times.shift();
}

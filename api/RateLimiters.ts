import { document } from './document';

/** Whether the calls of the last minute are limited, for each account separately. */
export type RateLimits = 'on' | 'off';

/** The calls that are limited per account. Starts of agents and of workflows share one limit. */
export type RateLimitName = 'starts' | 'polls' | 'balances';

/** Times of calls in ms since 1970, oldest first. */
interface Calls {
	all: number[];
	allowed: number[];
}

const WINDOW_MS = 60_000;
const { startsPerMinute, statusPerMinute, balancePerMinute } = document['x-rate-limits'];
const LIMITS: Record<RateLimitName, number> = {
	starts: startsPerMinute,
	polls: statusPerMinute,
	balances: balancePerMinute,
};

/** The rate limits of a service, which count the calls of each account separately. */
export class RateLimiters {
	/** Peak number of calls by one account in any minute, including those above the limit. */
	readonly peaks: Record<RateLimitName, number> = { starts: 0, polls: 0, balances: 0 };
	/** How many calls were refused. */
	refused = 0;

	private calls = new Map<string, Calls>();

	constructor(private limits: RateLimits = 'on') {}

	reset(limits: RateLimits): void {
		this.limits = limits;
		this.calls = new Map();
	}

	/** Counts the call and returns 0, or returns the ms until a call will be allowed again. */
	tryAcquire(accountKey: string, name: RateLimitName, now: number): number {
		const key = `${name} ${accountKey}`;
		const { all, allowed } = this.calls.get(key) ?? { all: [], allowed: [] };
		this.calls.set(key, { all, allowed });
		dropUntil(all, now - WINDOW_MS);
		all.push(now);
		this.peaks[name] = Math.max(this.peaks[name], all.length);
		if (this.limits === 'off') return 0;

		dropUntil(allowed, now - WINDOW_MS);
		if (allowed.length >= LIMITS[name]) {
			this.refused++;
			return (allowed[0] ?? now) + WINDOW_MS - now;
		}
		allowed.push(now);
		return 0;
	}
}

function dropUntil(times: number[], end: number): void {
	while (times[0] !== undefined && times[0] <= end) times.shift();
}

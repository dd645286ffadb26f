import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { RateLimit } from './documentedValues';
import { LimitShare } from './LimitShare';
import { Reservations } from './Reservations';
import { WaitingCalls, type WaitingCall } from './WaitingCalls';

// A call counts until one window after its response, which pays for latency; this pays for clocks
// that don't run at quite the same speed.
const CLOCK_MARGIN = 1.002;
// The first calls of a window are not spaced, so that a few jobs are polled as soon as they are due.
// After them, spaced calls are spread evenly: if a burst used up the window, no job's end would be
// seen until the next one.
const CALLS_BEFORE_SPACING = 10;

/** How a call waits for its permit. */
export interface AcquireOptions {
	/** Executions, triggers and the polls of all waits together take turns, by this name. */
	execution: string;
	/** Ends the waiting, not the call. */
	signal?: AbortSignal;
	/** The clock's time at which the waiting ends. */
	deadline?: number;
	/** The clock's time since when the call is due: the one due longest goes first. Default: now. */
	dueAt?: number;
	/**
	 * Whether it keeps its distance to other such calls, so that these are spread over the window.
	 */
	isSpaced?: boolean;
}

/** Allows one call. It must be released once the response is there, or canceled. */
export interface Permit {
	/** The call is over. `error` is how it failed: the limiter learns from a 429. */
	release(error?: unknown): void;
	/** The call was not sent. */
	cancel(): void;
}

/** A call that has asked for a permit. */
interface Request extends WaitingCall {
	grant: (permit: Permit) => void;
}

/**
 * Lets at most `limit.calls` through in any span of `limit.windowMs` as the service sees it: a call
 * counts from when it is sent until one window after its response.
 *
 * Other processes may use the same limit, and each 429 reduces this one's share of it. With less
 * than the whole limit all calls are spaced evenly, so that processes find gaps between one
 * another's calls.
 */
export class RateLimiter {
	private readonly limit: RateLimit;

	private readonly share: LimitShare;

	private readonly reservations = new Reservations();

	private readonly waiting = new WaitingCalls<Request>(() => this.wake());

	/** How many calls have asked for a permit so far. */
	private requestCount = 0;

	private inFlight = 0;

	/** When the calls of the last window were answered, oldest first. */
	private answered: number[] = [];

	/** When the next call may be sent while the share is reduced. */
	private nextCallAt = 0;

	/** When the next spaced call may be sent, once so many calls of the window are used. */
	private nextSpacedCallAt = 0;

	private isGranting = false;

	/** Ends the sleep until the next permit. */
	private wakeUp = new AbortController();

	/** `random` spreads the processes of an account: from 0 to 1, as `Math.random`. */
	constructor(
		{ calls, windowMs }: RateLimit,
		private readonly clock: Clock,
		random: () => number = Math.random,
	) {
		this.limit = { calls, windowMs: windowMs * CLOCK_MARGIN };
		this.share = new LimitShare(this.limit, clock, random);
	}

	/**
	 * Resolves when the call may be made. Rejects with a `ServiceError`: `queueTimeout` at
	 * `options.deadline`, and `aborted` as soon as `options.signal` is aborted.
	 */
	acquire(options: AcquireOptions): Promise<Permit> {
		const { execution, signal, deadline = Infinity, isSpaced = false } = options;
		return new Promise((grant, reject) => {
			const now = this.clock.now();
			if (signal?.aborted === true) throw new ServiceError({ kind: 'aborted' });
			if (deadline <= now) throw new ServiceError({ kind: 'queueTimeout' });

			this.waiting.add({
				group: execution,
				dueAt: options.dueAt ?? now,
				position: this.requestCount++,
				isSpaced,
				signal,
				deadline,
				grant,
				reject,
			});
			this.wake();
			void this.grantPermits();
		});
	}

	/**
	 * The time between calls at the limiter's present rate, in ms, if they are spaced evenly.
	 */
	get spacingMs(): number {
		return this.share.spacingMs;
	}

	/**
	 * Announces calls, and returns the first time from `wantedAt` on that has room for them beside
	 * others that were announced; by the clock, in ms. They need their permits all the same.
	 */
	reserve(wantedAt: number, calls: number): number {
		const { closedUntil, spacingMs } = this.share;
		const openAt = Math.max(wantedAt, closedUntil);
		return this.reservations.reserve(openAt, calls, { now: this.clock.now(), spacingMs });
	}

	/** Grants permits as they become free, until no call waits. It runs once at a time. */
	private async grantPermits(): Promise<void> {
		if (this.isGranting) return;
		this.isGranting = true;
		// Calls that come together are sorted before the first one is granted.
		await Promise.resolve();
		while (this.waiting.size > 0) {
			this.waiting.rejectLate(this.clock.now());
			const pauseMs = this.grantNext();
			if (pauseMs === 0) continue;

			const untilDeadlineMs = this.waiting.nextDeadline - this.clock.now();
			this.wakeUp = new AbortController();
			await this.clock.sleep(Math.min(pauseMs, untilDeadlineMs), this.wakeUp.signal);
		}
		this.isGranting = false;
	}

	/** Something has changed: a permit may be free earlier. */
	private wake(): void {
		if (!this.wakeUp.signal.aborted) this.wakeUp.abort();
	}

	/**
	 * Grants the next call if one may be made now, and returns 0; otherwise, the ms until that may be
	 * so.
	 */
	private grantNext(): number {
		const pauseMs = this.msUntilFree();
		if (pauseMs > 0) return pauseMs;

		const now = this.clock.now();
		const withSpaced = this.usedCalls < CALLS_BEFORE_SPACING || now >= this.nextSpacedCallAt;
		const next = this.waiting.next({ withSpaced });
		if (next === undefined) return this.nextSpacedCallAt - now;

		this.inFlight++;
		const nextAt = now + this.spacingMs;
		if (this.share.current < 1) this.nextCallAt = nextAt;
		if (next.isSpaced) this.nextSpacedCallAt = nextAt;
		next.grant(this.createPermit());
		return 0;
	}

	/** The ms until any call may be made; 0: now. */
	private msUntilFree(): number {
		const now = this.clock.now();
		const { closedUntil, current: share } = this.share;
		if (now < closedUntil) return closedUntil - now;
		if (share < 1 && now < this.nextCallAt) return this.nextCallAt - now;

		this.forgetOld();
		const allowedCalls = Math.ceil(this.limit.calls * share);
		const excess = this.usedCalls - allowedCalls;
		if (excess < 0) return 0;
		const oldest = this.answered[excess];
		// More calls are in flight than may be: the response to one of them will wake the limiter.
		return oldest === undefined ? this.limit.windowMs : oldest + this.limit.windowMs - now;
	}

	/** Calls that count at the moment. */
	private get usedCalls(): number {
		return this.inFlight + this.answered.length;
	}

	/** Forgets the calls that don't count any more. */
	private forgetOld(): void {
		const windowStart = this.clock.now() - this.limit.windowMs;
		const firstInside = this.answered.findIndex((time) => time > windowStart);
		this.answered = firstInside === -1 ? [] : this.answered.slice(firstInside);
	}

	private createPermit(): Permit {
		const sentAt = this.clock.now();
		return {
			release: (error) => {
				this.inFlight--;
				this.answered.push(this.clock.now());
				if (error instanceof ServiceError && error.kind === 'rateLimited') {
					this.share.reduce(sentAt, error.facts.retryAfterMs);
				}
				this.wake();
			},
			cancel: () => {
				this.inFlight--;
				this.wake();
			},
		};
	}
}

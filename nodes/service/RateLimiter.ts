import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { RateLimit } from './documentedValues';
import { FairQueue, type QueueEntry } from './FairQueue';
import { Reservations } from './Reservations';
import { SortedList } from './SortedList';

// A call counts until one window after its response, which pays for latency; this pays for clocks
// that don't run at quite the same speed.
const CLOCK_MARGIN = 1.002;
// So many calls of a window may be made at once, so that a few jobs are polled as soon as they are
// due. Spaced calls go evenly from then on: a window that is used up at its beginning shows nothing
// until its end.
const CALLS_BEFORE_SPACING = 10;
const MIN_SHARE = 1 / 256;
const SHARE_KEPT = 0.75;
// A reduced share stays as it is for so many calls, so that few calls are spent on finding out
// whether there is more to have, and then grows by so much in each window.
const CALLS_BEFORE_GROWTH = 40;
const MAX_WINDOWS_BEFORE_GROWTH = 8;
const GROWTH_PER_WINDOW = 1.42;
// Processes whose Retry-After ends in the same second don't resume together.
const MAX_JITTER_IN_WINDOWS = 0.5;
const DEFAULT_RETRY_AFTER_MS = 5_000;

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

interface WaitingCall extends QueueEntry {
	signal?: AbortSignal;
	deadline: number;
	grant: (permit: Permit) => void;
	reject: (error: ServiceError) => void;
}

/**
 * Lets at most `limit.calls` through in any span of `limit.windowMs` as the service sees it: a call
 * counts from when it is sent until one window after its response. Each 429 reduces its share of
 * the limit, which other processes may use, too; after a plateau it grows back, as in TCP's CUBIC.
 * With less than the whole limit its calls are spaced evenly, so that processes find gaps between
 * one another's calls.
 */
export class RateLimiter {
	private readonly waiting = new FairQueue<WaitingCall>();

	/** The waiting calls that have a deadline. */
	private readonly byDeadline = new SortedList<WaitingCall>(
		(one, other) => one.deadline - other.deadline || one.position - other.position,
	);

	/** The waiting calls of each signal, which has one listener for all of them. */
	private readonly bySignal = new Map<AbortSignal, Set<WaitingCall>>();

	private readonly reservations = new Reservations();

	/** How many calls have asked for a permit so far. */
	private callCount = 0;

	/** When the calls of the last window were answered, oldest first. */
	private answered: number[] = [];

	private inFlight = 0;

	private isGranting = false;

	private wakeUp = new AbortController();

	private share = 1;

	private shareChangedAt = 0;

	private closedUntil = 0;

	/** When the next call may be sent while the share is reduced. */
	private nextCallAt = 0;

	/** When the next spaced call may be sent, once so many calls of the window are used. */
	private nextSpacedCallAt = 0;

	constructor(
		private readonly limit: RateLimit,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/**
	 * Resolves when the call may be made. Throws a `ServiceError`: `queueTimeout` at
	 * `options.deadline`, and `aborted` as soon as `options.signal` is aborted.
	 */
	async acquire(options: AcquireOptions): Promise<Permit> {
		const { execution, signal, deadline = Infinity, isSpaced = false } = options;
		const now = this.clock.now();
		if (signal?.aborted === true) throw new ServiceError({ kind: 'aborted' });
		if (deadline <= now) throw new ServiceError({ kind: 'queueTimeout' });

		const dueAt = options.dueAt ?? now;
		const position = this.callCount++;
		return await new Promise<Permit>((grant, reject) => {
			this.enqueue({
				group: execution,
				dueAt,
				position,
				isSpaced,
				signal,
				deadline,
				grant,
				reject,
			});
			void this.grantPermits();
		});
	}

	/**
	 * The ms between its calls when they are spaced evenly: in the long run, it lets so many through.
	 */
	get spacingMs(): number {
		return this.windowMs / (this.limit.calls * this.currentShare());
	}

	/**
	 * Announces calls, and returns the first time from `wantedAt` on that has room for them beside
	 * others that were announced; by the clock, in ms. They need their permits all the same.
	 */
	reserve(wantedAt: number, calls: number): number {
		const { spacingMs } = this;
		const openAt = Math.max(wantedAt, this.closedUntil);
		return this.reservations.reserve(openAt, calls, { now: this.clock.now(), spacingMs });
	}

	private get windowMs(): number {
		return this.limit.windowMs * CLOCK_MARGIN;
	}

	/** Calls that count at the moment. */
	private get usedCalls(): number {
		return this.inFlight + this.answered.length;
	}

	private async grantPermits(): Promise<void> {
		this.wake();
		if (this.isGranting) return;
		this.isGranting = true;
		// Calls that come together are sorted before the first one is granted.
		await Promise.resolve();
		while (this.waiting.size > 0) {
			this.rejectLate();
			const pauseMs = this.grantNext();
			if (pauseMs === 0) continue;
			const nextDeadline = this.byDeadline.first?.deadline ?? Infinity;
			const untilDeadlineMs = nextDeadline - this.clock.now();
			this.wakeUp = new AbortController();
			await this.clock.sleep(Math.min(pauseMs, untilDeadlineMs), this.wakeUp.signal);
		}
		this.isGranting = false;
	}

	/** Ends the sleep until the next permit: something has changed. */
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

		this.forget(next);
		this.inFlight++;
		const nextAt = now + this.spacingMs;
		if (this.currentShare() < 1) this.nextCallAt = nextAt;
		if (next.isSpaced) this.nextSpacedCallAt = nextAt;
		next.grant(this.createPermit());
		return 0;
	}

	private enqueue(call: WaitingCall): void {
		this.waiting.add(call);
		if (call.deadline < Infinity) this.byDeadline.add(call);
		if (call.signal === undefined) return;
		const calls = this.bySignal.get(call.signal);
		if (calls !== undefined) {
			calls.add(call);
			return;
		}
		this.bySignal.set(call.signal, new Set([call]));
		call.signal.addEventListener('abort', this.onAbort);
	}

	private rejectLate(): void {
		const now = this.clock.now();
		for (;;) {
			const call = this.byDeadline.first;
			if (call === undefined || call.deadline > now) return;
			this.waiting.delete(call);
			this.forget(call);
			call.reject(new ServiceError({ kind: 'queueTimeout' }));
		}
	}

	private readonly onAbort = ({ target }: Event): void => {
		for (const call of this.bySignal.get(target as AbortSignal) ?? []) {
			this.waiting.delete(call);
			this.forget(call);
			call.reject(new ServiceError({ kind: 'aborted' }));
		}
		this.wake();
	};

	/** A call waits no longer, and is out of the queue. */
	private forget(call: WaitingCall): void {
		this.byDeadline.delete(call);
		const { signal } = call;
		const calls = signal && this.bySignal.get(signal);
		if (signal === undefined || calls === undefined) return;
		calls.delete(call);
		if (calls.size > 0) return;
		this.bySignal.delete(signal);
		signal.removeEventListener('abort', this.onAbort);
	}

	private createPermit(): Permit {
		const sentAt = this.clock.now();
		return {
			release: (error) => {
				this.inFlight--;
				this.answered.push(this.clock.now());
				if (error instanceof ServiceError && error.kind === 'rateLimited') {
					this.reduceShare(sentAt, error.facts.retryAfterMs);
				}
				this.wake();
			},
			cancel: () => {
				this.inFlight--;
				this.wake();
			},
		};
	}

	private msUntilFree(): number {
		const now = this.clock.now();
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.currentShare() < 1 && now < this.nextCallAt) return this.nextCallAt - now;

		this.forgetOld();
		const allowedCalls = Math.ceil(this.limit.calls * this.currentShare());
		const excess = this.usedCalls - allowedCalls;
		if (excess < 0) return 0;
		const oldest = this.answered[excess];
		// Before that, one of the calls in flight is answered.
		return oldest === undefined ? this.windowMs : oldest + this.windowMs - now;
	}

	private forgetOld(): void {
		const windowStart = this.clock.now() - this.windowMs;
		const firstInside = this.answered.findIndex((time) => time > windowStart);
		this.answered = firstInside === -1 ? [] : this.answered.slice(firstInside);
	}

	private currentShare(): number {
		if (this.share === 1) return 1;
		const calmMs = this.clock.now() - Math.max(this.shareChangedAt, this.closedUntil);
		const plateau = CALLS_BEFORE_GROWTH / (this.limit.calls * this.share);
		const growing = calmMs / this.windowMs - Math.min(plateau, MAX_WINDOWS_BEFORE_GROWTH);
		return Math.min(1, this.share * GROWTH_PER_WINDOW ** Math.max(0, growing));
	}

	private reduceShare(sentAt: number, retryAfterMs = DEFAULT_RETRY_AFTER_MS): void {
		const now = this.clock.now();
		// A call sent before the last reduction says nothing about the share after it.
		if (sentAt >= this.shareChangedAt) {
			this.share = Math.max(MIN_SHARE, this.currentShare() * SHARE_KEPT);
			this.shareChangedAt = now;
		}
		const maxJitterMs = Math.min(this.spacingMs, this.windowMs * MAX_JITTER_IN_WINDOWS);
		const jitterMs = maxJitterMs * this.random();
		this.closedUntil = Math.max(this.closedUntil, now + retryAfterMs + jitterMs);
	}
}

import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import { FairQueue } from './FairQueue';
import type { RateLimit } from './documentedValues';

// A call counts until one window after its response, which pays for latency; this pays for clocks that
// don't run at quite the same speed.
const CLOCK_MARGIN = 1.002;
const MAX_SLEEP_MS = 500;
const MIN_SHARE = 1 / 256;
const SHARE_KEPT = 0.75;
// A reduced share stays as it is for so many calls, so that few calls are spent on finding out whether
// there is more to have, and then grows by so much in each window.
const CALLS_BEFORE_GROWTH = 40;
const MAX_WINDOWS_BEFORE_GROWTH = 8;
const GROWTH_PER_WINDOW = 1.42;
// Processes whose Retry-After ends in the same second don't resume together.
const MAX_JITTER_IN_WINDOWS = 0.5;
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** How a call waits for its permit. */
export interface AcquireOptions {
	/** Ends the waiting, not the call. */
	signal?: AbortSignal;
	/** The clock's time at which the waiting ends. */
	deadline?: number;
	/** Executions, triggers and the polls of waiting jobs take turns, by this name. */
	execution?: string;
}

/** Allows one call. It must be released once the response is there, or canceled. */
export interface Permit {
	/** The call is over. `error` is how it failed: the limiter learns from a 429. */
	release(error?: unknown): void;
	/** The call was not sent. */
	cancel(): void;
}

interface WaitingCall {
	options: AcquireOptions;
	grant: (permit: Permit) => void;
	reject: (error: ServiceError) => void;
}

/**
 * Lets at most `limit.calls` through in any span of `limit.windowMs` as the service sees it: a call counts
 * from when it is sent until one window after its response. Each 429 reduces its share of the limit, which
 * other processes may use, too; after a plateau it grows back, as in TCP's CUBIC. With less than the whole
 * limit its calls are spaced evenly, so that processes find gaps between one another's calls.
 */
export class RateLimiter {
	private readonly waiting = new FairQueue<WaitingCall>();

	/** When the calls of the last window were answered, oldest first. */
	private answered: number[] = [];

	private inFlight = 0;

	private isGranting = false;

	private share = 1;

	private shareChangedAt = 0;

	private closedUntil = 0;

	/** When the next call may be sent while the share is reduced. */
	private nextCallAt = 0;

	constructor(
		private readonly limit: RateLimit,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** Throws `queueTimeout` at `options.deadline`, and `aborted` when `options.signal` is aborted. */
	async acquire(options: AcquireOptions): Promise<Permit> {
		return await new Promise<Permit>((grant, reject) => {
			this.waiting.add({ options, grant, reject }, options.execution ?? '');
			void this.grantPermits();
		});
	}

	/** How many calls per ms it lets through in the long run. */
	get callsPerMs(): number {
		return (this.limit.calls * this.currentShare()) / this.windowMs;
	}

	/** How many calls it lets through in a window at the moment. */
	get allowedCalls(): number {
		return Math.ceil(this.limit.calls * this.currentShare());
	}

	/** How many calls would be granted at once. */
	get freeCalls(): number {
		this.forgetOld();
		if (this.clock.now() < this.closedUntil) return 0;
		return Math.max(0, this.allowedCalls - this.inFlight - this.answered.length);
	}

	private get windowMs(): number {
		return this.limit.windowMs * CLOCK_MARGIN;
	}

	private async grantPermits(): Promise<void> {
		if (this.isGranting) return;
		this.isGranting = true;
		while (this.waiting.size > 0) {
			this.rejectEnded();
			const pauseMs = this.msUntilFree();
			if (pauseMs === 0) this.grantNext();
			else if (this.waiting.size > 0) await this.clock.sleep(Math.min(pauseMs, MAX_SLEEP_MS));
		}
		this.isGranting = false;
	}

	private rejectEnded(): void {
		const now = this.clock.now();
		this.waiting.removeIf(({ options, reject }) => {
			const isAborted = options.signal?.aborted === true;
			const isLate = options.deadline !== undefined && options.deadline <= now;
			if (isAborted) reject(new ServiceError({ kind: 'aborted' }));
			else if (isLate) reject(new ServiceError({ kind: 'queueTimeout' }));
			return isAborted || isLate;
		});
	}

	private grantNext(): void {
		const next = this.waiting.next();
		if (next === undefined) return;
		this.inFlight++;
		if (this.currentShare() < 1) this.nextCallAt = this.clock.now() + 1 / this.callsPerMs;
		next.grant(this.createPermit());
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
			},
			cancel: () => {
				this.inFlight--;
			},
		};
	}

	private msUntilFree(): number {
		const now = this.clock.now();
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.currentShare() < 1 && now < this.nextCallAt) return this.nextCallAt - now;

		this.forgetOld();
		const excess = this.inFlight + this.answered.length - this.allowedCalls;
		if (excess < 0) return 0;
		const oldest = this.answered[excess];
		return oldest === undefined ? MAX_SLEEP_MS : oldest + this.windowMs - now;
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
		const maxJitterMs = Math.min(1 / this.callsPerMs, this.windowMs * MAX_JITTER_IN_WINDOWS);
		const jitterMs = maxJitterMs * this.random();
		this.closedUntil = Math.max(this.closedUntil, now + retryAfterMs + jitterMs);
	}
}

import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import { FairQueue } from './FairQueue';
import type { RateLimit } from './rateLimits';

// A call counts until one window after its response, which pays for latency; this pays for clocks that
// don't run at quite the same speed.
const CLOCK_MARGIN = 1.002;
const MAX_SLEEP_MS = 500;
// So that many direct calls can't keep polls waiting for ever.
const MAX_DIRECT_IN_A_ROW = 4;
const MIN_SHARE = 0.1;
// A reduced share grows back in small steps: from nothing to the whole limit in 3 windows.
const SHARE_STEP = 0.05;
const STEPS_PER_WINDOW = 6.67;
// Several processes that were told to wait until the same second don't come back together.
const MAX_RETRY_JITTER = 0.1;
const DEFAULT_RETRY_AFTER_MS = 5_000;
const IDLE_AFTER_MS = 60 * 60_000;

/** How a call waits for its turn. */
export interface TurnOptions {
	/** Ends the waiting, not the call. */
	signal?: AbortSignal;
	/** The clock's time at which the waiting ends. */
	deadline?: number;
	/** Executions take turns, by this name. */
	execution?: string;
	/** Whether it is a poll of a waiting job: these come after what users ask for directly. */
	isPoll?: boolean;
}

/** A call's turn. `end` must be called once the response is there. */
export interface Turn {
	/** Tells how the call failed: the limiter learns from a 429. */
	fail(error: unknown): void;
	end(): void;
	/** Gives the turn back: the call was not made. */
	cancel(): void;
}

interface WaitingCall {
	options: TurnOptions;
	grant: (turn: Turn) => void;
	reject: (error: ServiceError) => void;
}

/**
 * Lets at most `limit.calls` through in any span of `limit.windowMs` as the service sees it: a call
 * counts from when it is sent until one window after its response, so that no latency can move two
 * windows' calls into one.
 * If other processes use the same account, a 429 halves this limiter's share of the limit; without one
 * it grows back step by step, to the whole limit within three windows.
 */
export class RateLimiter {
	private readonly direct = new FairQueue<WaitingCall>();

	private readonly polls = new FairQueue<WaitingCall>();

	/** When the calls of the last window were answered, oldest first. */
	private answered: number[] = [];

	private inFlight = 0;

	private isGranting = false;

	private directInARow = 0;

	private share = 1;

	private shareChangedAt = 0;

	private closedUntil = 0;

	private lastUsedAt: number;

	constructor(
		private readonly limit: RateLimit,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {
		this.lastUsedAt = clock.now();
	}

	/**
	 * Waits for a turn. Throws `queueTimeout` if it does not come before `options.deadline`, and
	 * `aborted` if `options.signal` is aborted before.
	 */
	async acquire(options: TurnOptions): Promise<Turn> {
		return await new Promise<Turn>((grant, reject) => {
			const queue = options.isPoll === true ? this.polls : this.direct;
			queue.add({ options, grant, reject }, options.execution ?? '');
			void this.grantTurns();
		});
	}

	/** How many calls per ms it lets through in the long run. */
	get callsPerMs(): number {
		return this.allowed() / this.windowMs;
	}

	/** Whether nobody uses it and nothing in it is worth keeping. */
	get isIdle(): boolean {
		const isUsed = this.inFlight + this.waiting > 0;
		const neededUntil = Math.max(this.lastUsedAt, this.closedUntil) + IDLE_AFTER_MS;
		return !isUsed && this.clock.now() >= neededUntil;
	}

	private get windowMs(): number {
		return this.limit.windowMs * CLOCK_MARGIN;
	}

	private get waiting(): number {
		return this.direct.size + this.polls.size;
	}

	private async grantTurns(): Promise<void> {
		if (this.isGranting) return;
		this.isGranting = true;
		while (this.waiting > 0) {
			this.rejectEnded();
			const pauseMs = this.msUntilFree();
			if (pauseMs === 0) this.grantNext();
			else if (this.waiting > 0) await this.clock.sleep(Math.min(pauseMs, MAX_SLEEP_MS));
		}
		this.isGranting = false;
	}

	private rejectEnded(): void {
		const now = this.clock.now();
		for (const queue of [this.direct, this.polls]) {
			queue.removeIf(({ options, reject }) => {
				const isAborted = options.signal?.aborted === true;
				const isLate = options.deadline !== undefined && options.deadline <= now;
				if (isAborted) reject(new ServiceError({ kind: 'aborted' }));
				else if (isLate) reject(new ServiceError({ kind: 'queueTimeout' }));
				return isAborted || isLate;
			});
		}
	}

	private grantNext(): void {
		const isPollsTurn = this.direct.size === 0 || this.directInARow >= MAX_DIRECT_IN_A_ROW;
		const isPoll = isPollsTurn && this.polls.size > 0;
		const next = isPoll ? this.polls.next() : this.direct.next();
		this.directInARow = isPoll ? 0 : this.directInARow + 1;
		if (next === undefined) return;
		this.inFlight++;
		next.grant(this.createTurn());
	}

	private createTurn(): Turn {
		const sentAt = this.clock.now();
		return {
			fail: (error) => {
				if (error instanceof ServiceError && error.kind === 'rateLimited') {
					this.reduceShare(sentAt, error.facts.retryAfterMs);
				}
			},
			end: () => {
				this.inFlight--;
				this.lastUsedAt = this.clock.now();
				this.answered.push(this.lastUsedAt);
			},
			cancel: () => {
				this.inFlight--;
			},
		};
	}

	private msUntilFree(): number {
		const now = this.clock.now();
		if (now < this.closedUntil) return this.closedUntil - now;

		this.forgetOld();
		const excess = this.inFlight + this.answered.length - this.allowed();
		if (excess < 0) return 0;
		const oldest = this.answered[excess];
		return oldest === undefined ? MAX_SLEEP_MS : oldest + this.windowMs - now;
	}

	private forgetOld(): void {
		const windowStart = this.clock.now() - this.windowMs;
		const firstInside = this.answered.findIndex((time) => time > windowStart);
		this.answered = firstInside === -1 ? [] : this.answered.slice(firstInside);
	}

	private allowed(): number {
		return Math.max(1, Math.floor(this.limit.calls * this.currentShare()));
	}

	private currentShare(): number {
		const calmMs = Math.max(0, this.clock.now() - Math.max(this.shareChangedAt, this.closedUntil));
		const steps = Math.floor((calmMs / this.windowMs) * STEPS_PER_WINDOW);
		return Math.min(1, this.share + steps * SHARE_STEP);
	}

	private reduceShare(sentAt: number, retryAfterMs = DEFAULT_RETRY_AFTER_MS): void {
		const now = this.clock.now();
		// A call sent before the last reduction says nothing about the share after it.
		if (sentAt >= this.shareChangedAt) {
			this.share = Math.max(MIN_SHARE, this.currentShare() / 2);
			this.shareChangedAt = now;
		}
		const jitterMs = retryAfterMs * MAX_RETRY_JITTER * this.random();
		this.closedUntil = Math.max(this.closedUntil, now + retryAfterMs + jitterMs);
	}
}

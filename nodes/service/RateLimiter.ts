import { asThrown, ServiceError } from '../errors/ServiceError';
import type { Clock } from '../async/clock';
import type { RateLimit } from './models';
import type { CallOptions, Priority } from './types';

// Latency is paid for exactly (a call counts until a window after its answer), clocks that run
// apart are not.
const CLOCK_MARGIN = 1.002;
const LONGEST_SLEEP_MS = 500;
// So that a crowd of direct calls cannot keep the polls of waiting jobs out for ever.
const DIRECT_IN_A_ROW = 4;
const SMALLEST_SHARE = 0.1;
// A share that was cut grows back in small steps: from nothing to the whole limit in 3 windows.
const SHARE_STEP = 0.05;
const STEPS_PER_WINDOW = 6.67;
// So that several processes that were told to wait until the same second do not come back together.
const LATER_BY = 0.1;
const RETRY_AFTER_UNKNOWN_MS = 5_000;
// More than that is a mistake, and would close the account's budget for as long as n8n runs.
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;
// A job that is polled now and then only holds on to its budget meanwhile.
const KEPT_FOR_MS = 60 * 60_000;

interface Turn {
	options: CallOptions;
	grant: () => void;
	giveUp: (error: ServiceError) => void;
}

/**
 * Lets at most `limit.calls` through in any span of `limit.windowMs`, seen from the service's side:
 * a call counts from when it is sent until one window after its answer came, so that no latency
 * can push two windows' calls into one.
 * Where other processes use the same account, a 429 halves this budget's share of the limit; without
 * one it grows back step by step, all of it within three windows.
 */
export class RateLimiter {
	private readonly queues: Record<Priority, Turn[]> = { direct: [], background: [] };

	/** When the answered calls of the last window were answered, oldest first. */
	private answered: number[] = [];

	private inFlight = 0;

	private isHandingOut = false;

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
	 * Waits for its turn, sends, and returns what `send` returned.
	 * Throws `waited` when the turn does not come before `options.deadline`, and `stopped` when
	 * `options.signal` is aborted before it; nothing was sent then.
	 */
	run<T>(send: () => Promise<T>, options: CallOptions): Promise<T> {
		return new Promise((resolve, reject) => {
			this.queues[options.priority ?? 'direct'].push({
				options,
				grant: () => resolve(this.carryOut(send, options)),
				giveUp: reject,
			});
			void this.handOut();
		});
	}

	/** How many calls a millisecond it lets through in the long run. */
	get callsPerMs(): number {
		return this.allowed() / this.windowMs;
	}

	/** How many calls would be let through at once. */
	get freeCalls(): number {
		this.forgetOld();
		if (this.clock.now() < this.closedUntil) return 0;
		const { direct, background } = this.queues;
		const taken = this.inFlight + this.answered.length + direct.length + background.length;
		return Math.max(0, this.allowed() - taken);
	}

	/** Whether there is nothing in it worth keeping, and nobody who may still use it. */
	get isIdle(): boolean {
		const isInUse = this.inFlight > 0 || this.hasQueue();
		const neededUntil = Math.max(this.lastUsedAt, this.closedUntil) + KEPT_FOR_MS;
		return !isInUse && this.clock.now() >= neededUntil;
	}

	private get windowMs(): number {
		return this.limit.windowMs * CLOCK_MARGIN;
	}

	private async carryOut<T>(send: () => Promise<T>, options: CallOptions): Promise<T> {
		options.onSent?.();
		const sentAt = this.clock.now();
		try {
			return await send();
		} catch (error) {
			if (error instanceof ServiceError && error.kind === 'rateLimited') {
				this.shrink(sentAt, error.facts.retryAfterMs);
			}
			throw asThrown(error);
		} finally {
			this.inFlight--;
			this.lastUsedAt = this.clock.now();
			this.answered.push(this.lastUsedAt);
		}
	}

	private async handOut(): Promise<void> {
		if (this.isHandingOut) return;
		this.isHandingOut = true;
		while (this.hasQueue()) {
			this.dropGivenUp();
			const pauseMs = this.msUntilFree();
			if (pauseMs === 0) this.grantNext();
			else if (this.hasQueue()) await this.clock.sleep(Math.min(pauseMs, LONGEST_SLEEP_MS));
		}
		this.isHandingOut = false;
	}

	private hasQueue(): boolean {
		return this.queues.direct.length + this.queues.background.length > 0;
	}

	private dropGivenUp(): void {
		const now = this.clock.now();
		for (const priority of ['direct', 'background'] as const) {
			this.queues[priority] = this.queues[priority].filter(({ options, giveUp }) => {
				const isStopped = options.signal?.aborted === true;
				const isLate = options.deadline !== undefined && options.deadline <= now;
				if (isStopped) giveUp(new ServiceError({ kind: 'stopped' }));
				else if (isLate) giveUp(new ServiceError({ kind: 'queueTimeout' }));
				return !isStopped && !isLate;
			});
		}
	}

	private grantNext(): void {
		const { direct, background } = this.queues;
		const isBackgroundsTurn = direct.length === 0 || this.directInARow >= DIRECT_IN_A_ROW;
		const fromBackground = isBackgroundsTurn && background.length > 0;
		const next = fromBackground ? background.shift() : direct.shift();
		this.directInARow = fromBackground ? 0 : this.directInARow + 1;
		if (next === undefined) return;
		this.inFlight++;
		next.grant();
	}

	private msUntilFree(): number {
		const now = this.clock.now();
		if (now < this.closedUntil) return this.closedUntil - now;

		this.forgetOld();
		const excess = this.inFlight + this.answered.length - this.allowed();
		if (excess < 0) return 0;
		const oldest = this.answered[excess];
		return oldest === undefined ? LONGEST_SLEEP_MS : oldest + this.windowMs - now;
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

	private shrink(sentAt: number, askedForMs = RETRY_AFTER_UNKNOWN_MS): void {
		const now = this.clock.now();
		const retryAfterMs = Math.min(askedForMs, LONGEST_RETRY_AFTER_MS);
		// What was sent before the last cut is no news about the share after it.
		if (sentAt >= this.shareChangedAt) {
			this.share = Math.max(SMALLEST_SHARE, this.currentShare() / 2);
			this.shareChangedAt = now;
		}
		const laterMs = retryAfterMs * LATER_BY * this.random();
		this.closedUntil = Math.max(this.closedUntil, now + retryAfterMs + laterMs);
	}
}

import type { Clock } from '../async/clock';
import { rethrow } from '../async/rethrow';
import { ServiceError } from '../errors/ServiceError';
import type { RateLimit } from './documentedValues';
import { RateShare } from './RateShare';

// A call counts until one window after its response, which accounts for latency. This margin
// accounts for clocks that run at slightly different speeds.
const CLOCK_MARGIN = 1.002;
// The first calls of a window are not spaced, so that a few jobs are polled as soon as they are
// due. From then on spaced calls are spread evenly: if a burst used up the window, no job's end
// would be seen until the next window.
const CALLS_BEFORE_SPACING = 10;

/** When a call has its turn. */
export interface Turn {
	/** Groups take turns: executions, triggers, the polls of all waits, credential tests. */
	group: string;
	/** Ends the wait for the turn, not the call itself. */
	signal?: AbortSignal;
	/** When the wait is given up, in ms, from `Clock.elapsed()`. Default: never. */
	giveUpAt?: number;
	/** When the call became due. Within a group, the most overdue call goes first. Default: now. */
	dueAt?: number;
	/**
	 * Whether to space this call and other such calls evenly. Ignored for the first ten calls in a
	 * window, and while calls of other groups are waiting. Default: false.
	 */
	isSpaced?: boolean;
	/**
	 * Whether the call keeps waiting for its turn while the limiter is closed. `until`: when it
	 * opens again, in ms, from `Clock.elapsed()`. `error`: that of the 429 that has closed it, with
	 * the service's own Retry-After. Called whenever the limiter closes, and if it is closed when
	 * the wait begins. If it returns false, the wait ends with `error`. Default: it always does.
	 */
	waitsWhileClosed?: (until: number, error: ServiceError) => boolean;
	/**
	 * Whether the call may be sent although a 429 has closed the limiter, if the window has room for
	 * it. Default: false.
	 */
	ignoresRetryAfter?: boolean;
	/** Called when it is the call's turn. If it throws, the call is not made, and does not count. */
	beforeSending?: () => void | Promise<void>;
}

/** Options of a limiter. */
export interface RateLimiterOptions {
	/** Returns numbers from 0 to 1, and keeps processes that share a limit out of step. */
	random?: () => number;
	/**
	 * For how long, in ms, a 429 without a Retry-After closes the limiter, without reducing this
	 * process's share. If unset, such a 429 reduces the share, as any other does.
	 */
	closedMsWithoutRetryAfter?: number;
	/** A longer Retry-After closes the limiter for this long, in ms. Default: no maximum. */
	maxRetryAfterMs?: number;
}

/** A call that waits for its turn. */
interface WaitingCall {
	turn: Turn;
	dueAt: number;
	grant: () => void;
	reject: (error: ServiceError) => void;
}

/**
 * Lets at most `limit.calls` calls through in any span of `limit.windowMs`, as the service sees it:
 * a call counts from its turn until one window after its response.
 *
 * Other processes may use the same limit, so a 429 may reduce this process's share of it. While the
 * share is reduced all calls are spaced evenly, so that processes can interleave their calls.
 */
export class RateLimiter {
	private readonly limit: RateLimit;

	private readonly share: RateShare;

	/**
	 * The calls that wait for their turn, by group. The group whose turn is next comes first, and so
	 * does the most overdue call within each group.
	 */
	private readonly waiting = new Map<string, WaitingCall[]>();

	/** When the next waiting call times out; -Infinity if one was aborted. */
	private nextEndAt = Infinity;

	/** How many calls have their turn and are not over. */
	private inFlight = 0;

	/** When the calls of the last window were over, oldest first. */
	private endTimes: number[] = [];

	/** When the next call may be sent while the share is reduced. */
	private nextCallAt = 0;

	/** When the next spaced call may be sent, after the first calls of a window. */
	private nextSpacedCallAt = 0;

	/** The 429 that keeps the limiter closed the longest. */
	private closing: { until: number; error: ServiceError } | undefined;

	private isGranting = false;

	/** Ends the sleep until the next turn. */
	private wakeUp = new AbortController();

	constructor(
		{ calls, windowMs }: RateLimit,
		private readonly clock: Clock,
		private readonly options: RateLimiterOptions = {},
	) {
		this.limit = { calls, windowMs: windowMs * CLOCK_MARGIN };
		this.share = new RateShare(this.limit, clock, options.random ?? Math.random);
	}

	/**
	 * Makes a call when it has its turn, and settles as the call does. A call counts unless it fails
	 * with a `ServiceError` that says that it was not sent. A 429 may reduce the rate.
	 *
	 * If the call is not made, throws what `turn.beforeSending` throws, or a `ServiceError`:
	 * `queueTimeout` at `turn.giveUpAt`, `aborted` as soon as `turn.signal` is aborted, or that of a
	 * 429 if the call doesn't wait while the limiter is closed.
	 */
	run<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
		// Not an async function: thousands of waiting calls would each keep its state in memory.
		return this.waitForTurn(turn).then(async () => await this.runInTurn(turn, call));
	}

	private async runInTurn<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
		const grantedAt = this.clock.elapsed();
		let isCounted = false;
		try {
			await turn.beforeSending?.();
			isCounted = true;
			return await call();
		} catch (error) {
			if (error instanceof ServiceError && isCounted) {
				isCounted = error.mayHaveBeenSent;
				if (error.kind === 'rateLimited') this.recordRateLimited(grantedAt, error);
			}
			return rethrow(error);
		} finally {
			this.inFlight--;
			if (isCounted) this.endTimes.push(this.clock.elapsed());
			this.wake();
		}
	}

	private waitForTurn(turn: Turn): Promise<void> {
		const { signal, giveUpAt = Infinity, dueAt = this.clock.elapsed() } = turn;
		const { closing } = this;
		const isClosed = closing !== undefined && this.clock.elapsed() < closing.until;
		if (isClosed && !waits(turn, closing)) {
			return Promise.reject(closing.error);
		}

		const granted = new Promise<void>((grant, reject) => {
			this.enqueue({ turn, dueAt, grant, reject });
		});
		this.nextEndAt = signal?.aborted === true ? -Infinity : Math.min(this.nextEndAt, giveUpAt);
		// One listener for all calls with this signal: an event target adds the same one only once. It
		// stays until the abort, and Node.js 20 and 22 keep an `AbortSignal.any` in memory with it.
		signal?.addEventListener('abort', this.onAbort, { once: true });
		this.wake();
		void this.grantTurns();
		return granted;
	}

	/** The interval in ms between evenly spaced calls at the current rate. */
	get spacingMs(): number {
		return this.share.spacingMs;
	}

	/** The interval in ms between evenly spaced calls if this process uses the whole limit. */
	get unreducedSpacingMs(): number {
		return this.limit.windowMs / this.limit.calls;
	}

	/** For how long a 429 still closes the limiter, in ms; 0 if it doesn't. */
	get closedMs(): number {
		return Math.max(0, this.share.closedUntil - this.clock.elapsed());
	}

	/** Adds a call to its group, behind those that are due at the same time. */
	private enqueue(call: WaitingCall): void {
		const { group } = call.turn;
		const calls = this.waiting.get(group) ?? [];
		// A group without calls has its turn after all others.
		this.waiting.set(group, calls);
		calls.splice(calls.findLastIndex(({ dueAt }) => dueAt <= call.dueAt) + 1, 0, call);
	}

	/** Grants turns as the limit allows, until no call waits. Does nothing if already running. */
	private async grantTurns(): Promise<void> {
		if (this.isGranting) return;
		this.isGranting = true;
		// Lets all calls that arrive at the same time be compared before the first turn is granted.
		await Promise.resolve();
		for (;;) {
			if (this.clock.elapsed() >= this.nextEndAt) this.rejectOver();
			if (this.waiting.size === 0) break;
			const delayMs = this.grantNext();
			if (delayMs === 0) continue;

			const untilEndMs = this.nextEndAt - this.clock.elapsed();
			this.wakeUp = new AbortController();
			await this.clock.sleep(Math.min(delayMs, untilEndMs), this.wakeUp.signal);
		}
		this.isGranting = false;
	}

	/** Ends the sleep in `grantTurns`: a turn may be free earlier, or a call may be over. */
	private readonly wake = (): void => this.wakeUp.abort();

	private readonly onAbort = (): void => {
		this.nextEndAt = -Infinity;
		this.wake();
	};

	/** Rejects the calls that are aborted or have timed out. */
	private rejectOver(): void {
		const now = this.clock.elapsed();
		this.nextEndAt = Infinity;
		this.rejectWaiting(({ turn: { signal, giveUpAt = Infinity } }) => {
			if (signal?.aborted === true) return new ServiceError({ kind: 'aborted' });
			if (giveUpAt <= now) return new ServiceError({ kind: 'queueTimeout' });
			this.nextEndAt = Math.min(this.nextEndAt, giveUpAt);
			return undefined;
		});
	}

	/** Rejects the waiting calls for which `errorOf` returns an error. */
	private rejectWaiting(errorOf: (call: WaitingCall) => ServiceError | undefined): void {
		for (const [group, calls] of this.waiting) {
			const left = calls.filter((call) => {
				const error = errorOf(call);
				if (error !== undefined) call.reject(error);
				return error === undefined;
			});
			if (left.length > 0) this.waiting.set(group, left);
			else this.waiting.delete(group);
		}
	}

	/**
	 * If a call may be made now, grants it and returns 0. Otherwise returns how long to wait, in ms.
	 */
	private grantNext(): number {
		const delayMs = this.msUntilFree();
		if (delayMs > 0) return delayMs;

		const now = this.clock.elapsed();
		const next = this.takeNext(now);
		if (next === undefined) return this.msUntilAllowed(now);

		this.inFlight++;
		const nextAt = now + this.spacingMs;
		if (this.share.current < 1) this.nextCallAt = nextAt;
		if (next.turn.isSpaced === true) this.nextSpacedCallAt = nextAt;
		next.grant();
		return 0;
	}

	/**
	 * Removes and returns the call that is next: the most overdue one of the first group, which then
	 * has its next turn after all others. Returns undefined if none of the calls may be made yet.
	 */
	private takeNext(now: number): WaitingCall | undefined {
		const isClosed = now < this.share.closedUntil;
		const allowsSpaced = this.allowsSpaced(now);
		const mayGo = ({ turn: { isSpaced, ignoresRetryAfter } }: WaitingCall) =>
			isClosed ? ignoresRetryAfter === true : allowsSpaced || isSpaced !== true;

		for (const [group, calls] of this.waiting) {
			const position = calls.findIndex(mayGo);
			if (position === -1) continue;
			this.waiting.delete(group);
			const [next] = calls.splice(position, 1);
			if (calls.length > 0) this.waiting.set(group, calls);
			return next;
		}
		return undefined;
	}

	private allowsSpaced(now: number): boolean {
		// While other groups wait, spacing is ignored: otherwise, spaced calls would starve.
		if (this.waiting.size > 1) return true;
		return this.usedCalls < CALLS_BEFORE_SPACING || now >= this.nextSpacedCallAt;
	}

	/** Returns how long no call may be made although the window has room for one, in ms. */
	private msUntilAllowed(now: number): number {
		const { closedUntil } = this.share;
		return (now < closedUntil ? closedUntil : this.nextSpacedCallAt) - now;
	}

	/** Returns the time in ms until the window has room for a call, or 0 if it has room now. */
	private msUntilFree(): number {
		const now = this.clock.elapsed();
		const { current: share } = this.share;
		if (share < 1 && now < this.nextCallAt) return this.nextCallAt - now;

		this.forgetOld();
		const allowedCalls = Math.ceil(this.limit.calls * share);
		const excess = this.usedCalls - allowedCalls;
		if (excess < 0) return 0;
		// There is room for a call as soon as this one has left the window.
		const blocking = this.endTimes[excess];
		// The calls in flight alone use up the limit: the end of one will wake the limiter.
		return blocking === undefined ? this.limit.windowMs : blocking + this.limit.windowMs - now;
	}

	/** How many calls count against the limit. */
	private get usedCalls(): number {
		return this.inFlight + this.endTimes.length;
	}

	/** Forgets the calls that no longer count against the limit. */
	private forgetOld(): void {
		const windowStart = this.clock.elapsed() - this.limit.windowMs;
		const firstInside = this.endTimes.findIndex((time) => time > windowStart);
		this.endTimes = firstInside === -1 ? [] : this.endTimes.slice(firstInside);
	}

	/** Records that a call whose turn came at `grantedAt` was rate limited. */
	private recordRateLimited(grantedAt: number, error: ServiceError): void {
		const { closedMsWithoutRetryAfter, maxRetryAfterMs = Infinity } = this.options;
		const { retryAfterMs } = error.facts;
		if (retryAfterMs !== undefined) {
			this.share.reduce(grantedAt, Math.min(retryAfterMs, maxRetryAfterMs));
		} else if (closedMsWithoutRetryAfter !== undefined) {
			this.share.close(closedMsWithoutRetryAfter);
		} else {
			this.share.reduce(grantedAt);
		}

		const { closedUntil: until } = this.share;
		if (this.closing !== undefined && until <= this.closing.until) return;
		const closing = { until, error };
		this.closing = closing;
		this.rejectWaiting(({ turn }) => (waits(turn, closing) ? undefined : error));
	}
}

/** Whether a call keeps waiting while the limiter is closed. */
function waits(
	{ waitsWhileClosed = () => true }: Turn,
	{ until, error }: { until: number; error: ServiceError },
): boolean {
	return waitsWhileClosed(until, error);
}

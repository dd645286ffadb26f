import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { RateLimit } from './documentedValues';
import { ProcessShare } from './ProcessShare';
import { Reservations } from './Reservations';

// A call counts until one window after its response, which accounts for latency. This margin
// accounts for clocks that run at slightly different speeds.
const CLOCK_MARGIN = 1.002;
// The first calls of a window are not spaced, so that a few jobs are polled as soon as they are
// due. From then on spaced calls are spread evenly: if a burst used up the window, no job's end
// would be seen until the next window.
const CALLS_BEFORE_SPACING = 10;

/** Options for the wait for a permit. */
export interface AcquireOptions {
	/** Groups take turns. A group is an execution, a trigger, or the polls of all waits. */
	group: string;
	/** Cancels the wait for the permit, not the call itself. */
	signal?: AbortSignal;
	/** When the wait is given up: a `Clock` timestamp in ms. Default: never. */
	deadline?: number;
	/** When the call became due. Within a group, the most overdue call goes first. Default: now. */
	dueAt?: number;
	/**
	 * Whether to space this call and other such calls evenly. Ignored for the first ten calls in a
	 * window, and while calls of other groups are waiting. Default: false.
	 */
	isSpaced?: boolean;
}

/**
 * Permission for one call. Invoke either `release` or `cancel`, exactly once, or the limiter
 * miscounts.
 */
export interface Permit {
	/** Records that the call is over. `error` is what it failed with; a 429 reduces the rate. */
	release(error?: unknown): void;
	/** Records that the call was not sent, so that it does not count. */
	cancel(): void;
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
}

/** A call that waits for its permit. */
interface WaitingCall extends Required<Pick<AcquireOptions, 'group' | 'dueAt' | 'isSpaced'>> {
	signal?: AbortSignal;
	/** Infinite if the call may wait forever. */
	deadline: number;
	grant: (permit: Permit) => void;
	reject: (error: ServiceError) => void;
}

/**
 * Permits at most `limit.calls` calls in any span of `limit.windowMs`, as the service sees it: a
 * call counts from when it is sent until one window after its response.
 *
 * Other processes may use the same limit, and each 429 reduces this process's share of it. While
 * the share is reduced all calls are spaced evenly, so that processes can interleave their calls.
 */
export class RateLimiter {
	private readonly limit: RateLimit;

	private readonly share: ProcessShare;

	private readonly reservations = new Reservations();

	/** The calls that wait for a permit, in the order of their arrival. */
	private waiting: WaitingCall[] = [];

	/**
	 * When each group of waiting calls had its last turn, or joined the line without one: as a number
	 * that grows from turn to turn.
	 */
	private readonly turns = new Map<string, number>();

	private turnCount = 0;

	/** How many permits are granted and neither released nor canceled. */
	private inFlight = 0;

	/** When the calls of the last window were released, oldest first. */
	private releaseTimes: number[] = [];

	/** When the next call may be sent while the share is reduced. */
	private nextCallAt = 0;

	/** When the next spaced call may be sent, after the first calls of a window. */
	private nextSpacedCallAt = 0;

	private isGranting = false;

	/** Ends the sleep until the next permit. */
	private wakeUp = new AbortController();

	constructor(
		{ calls, windowMs }: RateLimit,
		private readonly clock: Clock,
		private readonly options: RateLimiterOptions = {},
	) {
		this.limit = { calls, windowMs: windowMs * CLOCK_MARGIN };
		this.share = new ProcessShare(this.limit, clock, options.random ?? Math.random);
	}

	/**
	 * Resolves when the call may be made. Rejects with a `ServiceError`: `queueTimeout` at
	 * `options.deadline`, or `aborted` as soon as `options.signal` is aborted.
	 */
	acquire(options: AcquireOptions): Promise<Permit> {
		const { group, signal, deadline = Infinity, isSpaced = false } = options;
		const { dueAt = this.clock.now() } = options;
		const permit = new Promise<Permit>((grant, reject) => {
			this.waiting.push({ group, dueAt, isSpaced, signal, deadline, grant, reject });
		});
		if (!this.turns.has(group)) this.turns.set(group, this.turnCount++);
		this.wake();
		// One listener for all calls with this signal: an event target adds the same one only once.
		signal?.addEventListener('abort', this.wake);
		void this.grantPermits();
		return permit;
	}

	/** The interval in ms between evenly spaced calls at the current rate. Public for tests. */
	get spacingMs(): number {
		return this.share.spacingMs;
	}

	/**
	 * Reserves capacity for `calls` calls, and returns the earliest time at or after `wantedAt` that
	 * other reservations leave free. Both are `Clock` timestamps in ms. The calls still need permits.
	 */
	reserve(wantedAt: number, calls: number): number {
		const { closedUntil, spacingMs } = this.share;
		const openAt = Math.max(wantedAt, closedUntil);
		return this.reservations.reserve(openAt, calls, { now: this.clock.now(), spacingMs });
	}

	/** Grants permits as they become free, until no call waits. Does nothing if already running. */
	private async grantPermits(): Promise<void> {
		if (this.isGranting) return;
		this.isGranting = true;
		// Lets all calls that arrive at the same time be compared before the first permit is granted.
		await Promise.resolve();
		for (;;) {
			const nextDeadline = this.dropOver();
			if (this.waiting.length === 0) break;
			const delayMs = this.grantNext();
			if (delayMs === 0) continue;

			const untilDeadlineMs = nextDeadline - this.clock.now();
			this.wakeUp = new AbortController();
			await this.clock.sleep(Math.min(delayMs, untilDeadlineMs), this.wakeUp.signal);
		}
		this.isGranting = false;
	}

	/** Ends the sleep in `grantPermits`: a permit may be free earlier, or a call may be over. */
	private readonly wake = (): void => this.wakeUp.abort();

	/**
	 * Rejects the calls that are aborted or overdue, and forgets the turns of groups without calls.
	 * Returns the earliest deadline of the other calls; infinite if none has one.
	 */
	private dropOver(): number {
		const now = this.clock.now();
		const groups = new Set<string>();
		let nextDeadline = Infinity;

		this.waiting = this.waiting.filter(({ signal, deadline, group, reject }) => {
			const isAborted = signal?.aborted === true;
			if (isAborted || deadline <= now) {
				reject(new ServiceError({ kind: isAborted ? 'aborted' : 'queueTimeout' }));
				return false;
			}
			groups.add(group);
			nextDeadline = Math.min(nextDeadline, deadline);
			return true;
		});
		for (const group of this.turns.keys()) {
			if (!groups.has(group)) this.turns.delete(group);
		}
		return nextDeadline;
	}

	/**
	 * If a call may be made now, grants it and returns 0. Otherwise returns how long to wait, in ms.
	 */
	private grantNext(): number {
		const delayMs = this.msUntilFree();
		if (delayMs > 0) return delayMs;

		const now = this.clock.now();
		const allowsSpaced = this.usedCalls < CALLS_BEFORE_SPACING || now >= this.nextSpacedCallAt;
		const next = this.nextCall(allowsSpaced);
		// Only spaced calls are waiting, and it is too early for the next one.
		if (next === undefined) return this.nextSpacedCallAt - now;

		this.waiting.splice(this.waiting.indexOf(next), 1);
		this.turns.set(next.group, this.turnCount++);
		this.inFlight++;
		const nextAt = now + this.spacingMs;
		if (this.share.current < 1) this.nextCallAt = nextAt;
		if (next.isSpaced) this.nextSpacedCallAt = nextAt;
		next.grant(this.createPermit());
		return 0;
	}

	/**
	 * Returns the most overdue call of the group whose last turn is longest ago. Without
	 * `allowsSpaced`, spaced calls are held back while only one group waits. Returns undefined if no
	 * call may be made.
	 */
	private nextCall(allowsSpaced: boolean): WaitingCall | undefined {
		// While other groups wait, spacing is ignored: otherwise, spaced calls would starve.
		const holdsSpaced = !allowsSpaced && this.turns.size === 1;
		let next: WaitingCall | undefined;
		for (const call of this.waiting) {
			if (holdsSpaced && call.isSpaced) continue;
			if (next === undefined || this.goesBefore(call, next)) next = call;
		}
		return next;
	}

	private goesBefore(one: WaitingCall, other: WaitingCall): boolean {
		if (one.group === other.group) return one.dueAt < other.dueAt;
		return (this.turns.get(one.group) ?? 0) < (this.turns.get(other.group) ?? 0);
	}

	/** Returns the time in ms until a call may be made, or 0 if one may be made now. */
	private msUntilFree(): number {
		const now = this.clock.now();
		const { closedUntil, current: share } = this.share;
		if (now < closedUntil) return closedUntil - now;
		if (share < 1 && now < this.nextCallAt) return this.nextCallAt - now;

		this.forgetOld();
		const allowedCalls = Math.ceil(this.limit.calls * share);
		const excess = this.usedCalls - allowedCalls;
		if (excess < 0) return 0;
		// The call that has to leave the window first.
		const blocking = this.releaseTimes[excess];
		// The calls in flight alone use up the limit: the end of one will wake the limiter.
		return blocking === undefined ? this.limit.windowMs : blocking + this.limit.windowMs - now;
	}

	/** How many calls count against the limit. */
	private get usedCalls(): number {
		return this.inFlight + this.releaseTimes.length;
	}

	/** Forgets the calls that no longer count against the limit. */
	private forgetOld(): void {
		const windowStart = this.clock.now() - this.limit.windowMs;
		const firstInside = this.releaseTimes.findIndex((time) => time > windowStart);
		this.releaseTimes = firstInside === -1 ? [] : this.releaseTimes.slice(firstInside);
	}

	/** Creates the permit for a call that is sent now. */
	private createPermit(): Permit {
		const sentAt = this.clock.now();
		return {
			release: (error) => {
				this.inFlight--;
				this.releaseTimes.push(this.clock.now());
				if (error instanceof ServiceError && error.kind === 'rateLimited') {
					this.recordRefusal(sentAt, error.facts.retryAfterMs);
				}
				this.wake();
			},
			cancel: () => {
				this.inFlight--;
				this.wake();
			},
		};
	}

	/** Records that a call sent at `sentAt` was refused with 429. */
	private recordRefusal(sentAt: number, retryAfterMs: number | undefined): void {
		const { closedMsWithoutRetryAfter } = this.options;
		if (retryAfterMs === undefined && closedMsWithoutRetryAfter !== undefined) {
			this.share.close(closedMsWithoutRetryAfter);
		} else {
			this.share.reduce(sentAt, retryAfterMs);
		}
	}
}

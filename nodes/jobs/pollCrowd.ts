import type { RateLimiter } from '../service/RateLimiter';
import type { Clock } from '../async/clock';
import { withJitter, worthwhilePauseMs } from './pollPace';

type Budget = Pick<RateLimiter, 'callsPerMs' | 'freeCalls'>;

// Jobs of one batch tend to take alike: when one has ended at an age, those of that age may have.
const ALIKE = 0.95;
// The other half is for the jobs that go on.
const SHARE_FOR_WAKING = 0.5;

const crowds = new WeakMap<Budget, PollCrowd>();

/** All jobs that are waited for on one account. */
export function crowdOf(budget: Budget, clock: Clock): PollCrowd {
	const known = crowds.get(budget);
	if (known !== undefined) return known;
	const crowd = new PollCrowd(budget, clock);
	crowds.set(budget, crowd);
	return crowd;
}

/**
 * Spreads an account's status calls over its waiting jobs: each is polled as often as it pays at
 * its age, and all less often when together they would ask for more than there is. What is left
 * over goes to jobs that may just have ended, since another one of their age has.
 */
export class PollCrowd {
	private readonly paces = new Set<PollPace>();

	private demandPerMs = 0;

	constructor(
		private readonly budget: Budget,
		readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** A job that has an age of `ageMs` already is waited for, and polled every `minimumMs` at most. */
	join(ageMs: number, minimumMs: number): PollPace {
		const pace = new PollPace(this, this.clock.now() - ageMs, minimumMs);
		this.paces.add(pace);
		return pace;
	}

	/** For a pace: its job asks for so many more or, below 0, fewer calls a millisecond. */
	addDemand(callsPerMs: number): void {
		this.demandPerMs = Math.max(0, this.demandPerMs + callsPerMs);
	}

	/** For a pace: how long a pause has to be, so that all together fit into the budget. */
	spread(pauseMs: number): number {
		const stretch = Math.max(1, this.demandPerMs / this.budget.callsPerMs);
		return withJitter(pauseMs * stretch, this.random());
	}

	/** For a pace: its job is waited for no more. With `isFinished`, the others learn from it. */
	leave(pace: PollPace, isFinished: boolean): void {
		this.paces.delete(pace);
		if (isFinished) this.wakeAlike(this.clock.now() - pace.bornAt);
	}

	private wakeAlike(endedAgeMs: number): void {
		const youngest = this.clock.now() - endedAgeMs * ALIKE;
		let left = Math.floor(this.budget.freeCalls * SHARE_FOR_WAKING);
		for (const pace of this.paces) {
			if (left === 0) return;
			if (pace.bornAt > youngest) continue;
			pace.wakeUp();
			left--;
		}
	}
}

/** The pace of one waiting job in the crowd of all that share its account's budget. */
export class PollPace {
	private demand = 0;

	private restedUntil = 0;

	private waking?: AbortController;

	constructor(
		private readonly crowd: PollCrowd,
		readonly bornAt: number,
		private readonly minimumMs: number,
	) {}

	/** The next pause, in ms, for a job of this age: how long it has been waited for, or has run. */
	pauseAfter(ageMs: number): number {
		const wishedMs = Math.max(worthwhilePauseMs(ageMs), this.minimumMs);
		this.setDemand(1 / wishedMs);
		this.restedUntil = this.crowd.clock.now() + wishedMs;
		this.waking = new AbortController();
		return Math.max(this.crowd.spread(wishedMs), this.minimumMs);
	}

	/** Aborted when the pause is better ended now. A new one comes with each pause. */
	get wake(): AbortSignal {
		return (this.waking ??= new AbortController()).signal;
	}

	/** Ends the pause, but never more often than the user allows, or than it pays. */
	wakeUp(): void {
		if (this.crowd.clock.now() >= this.restedUntil) this.waking?.abort();
	}

	/** The wait is over: the others get this job's share. With `isFinished`, they learn from it. */
	end(isFinished: boolean): void {
		this.setDemand(0);
		this.crowd.leave(this, isFinished);
	}

	private setDemand(callsPerMs: number): void {
		this.crowd.addDemand(callsPerMs - this.demand);
		this.demand = callsPerMs;
	}
}

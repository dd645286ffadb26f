import type { RateBudget } from '../client/rateBudget';
import type { Clock } from './clock';
import { withJitter, worthwhilePauseMs } from './pollPace';

/** The pace of one waiting job in the crowd of all that share its account's budget. */
export interface PollPace {
	/** The next pause, in ms, for a job of this age: how long it has been waited for, or has run. */
	pauseAfter(ageMs: number): number;
	/** Aborted when the pause is better ended now. A new one comes with each pause. */
	readonly wake: AbortSignal;
	/** The wait is over: the others get this job's share. With `isFinished`, they learn from it. */
	end(isFinished: boolean): void;
}

type Budget = Pick<RateBudget, 'callsPerMs' | 'freeCalls'>;

interface Member {
	bornAt: number;
	wakeUp: () => void;
}

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
	private readonly members = new Set<Member>();

	private demandPerMs = 0;

	constructor(
		private readonly budget: Budget,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** A job that has an age of `ageMs` already is waited for, and polled every `minimumMs` at most. */
	join(ageMs: number, minimumMs: number): PollPace {
		let demand = 0;
		let wake = new AbortController();
		let restedUntil = 0;
		const setDemand = (callsPerMs: number) => {
			this.demandPerMs = Math.max(0, this.demandPerMs - demand + callsPerMs);
			demand = callsPerMs;
		};
		const member: Member = {
			bornAt: this.clock.now() - ageMs,
			// Never more often than the user allows, or than it pays.
			wakeUp: () => this.clock.now() >= restedUntil && wake.abort(),
		};
		this.members.add(member);

		return {
			pauseAfter: (age) => {
				const wishedMs = Math.max(worthwhilePauseMs(age), minimumMs);
				setDemand(1 / wishedMs);
				restedUntil = this.clock.now() + wishedMs;
				wake = new AbortController();
				const pauseMs = withJitter(wishedMs * this.stretch(), this.random());
				return Math.max(pauseMs, minimumMs);
			},
			get wake() {
				return wake.signal;
			},
			end: (isFinished) => {
				setDemand(0);
				this.members.delete(member);
				if (isFinished) this.wakeAlike(this.clock.now() - member.bornAt);
			},
		};
	}

	// By how much all pauses have to grow, so that together they fit into the budget.
	private stretch(): number {
		return Math.max(1, this.demandPerMs / this.budget.callsPerMs);
	}

	private wakeAlike(endedAgeMs: number): void {
		const youngest = this.clock.now() - endedAgeMs * ALIKE;
		let left = Math.floor(this.budget.freeCalls * SHARE_FOR_WAKING);
		for (const member of this.members) {
			if (left === 0) return;
			if (member.bornAt > youngest) continue;
			member.wakeUp();
			left--;
		}
	}
}

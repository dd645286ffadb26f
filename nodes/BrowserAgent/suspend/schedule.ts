import { anySignal } from '../../async/abortSignals';
import type { JobWait, Suspension } from '../../jobs/Work';
import type { RateLimiter } from '../../service/RateLimiter';
import { jobsOf, type Run } from '../Run';
import { suspendedItems, type SuspendedState } from './state';
import { jobsOfOthers } from './watch';

// n8n keeps shorter waits in memory, and the execution then occupies a worker.
const MIN_STORED_MS = 65_000;
// n8n reads the clock twice, so a wait of 65 s can come out a millisecond too short.
const MIN_SUSPENSION_MS = MIN_STORED_MS + 1_000;
// How long n8n takes to resume an execution.
const RESUME_MS = 4_000;

const MAX_INTERVAL_MS = 5 * 60_000;
const MAX_REDUCED_INTERVAL_MS = 30 * 60_000;
// The interval between two rounds, as a fraction of the jobs' age.
const INTERVAL_TO_AGE_RATIO = 1 / 8;
// Rounds are planned to use this share of the account's status calls; the rest is for others.
const CALLS_SHARE = 0.85;
// Keeps executions that were suspended together from being resumed together.
const JITTER = 0.25;

// How long an execution waits in the process before it is suspended: there, the end of a short job
// is seen sooner.
const WAIT_IN_PROCESS_MS = 60_000;
// A wait with less time left is not suspended: n8n would resume it too late.
const MIN_LEFT_MS = MIN_SUSPENSION_MS + RESUME_MS;
// Time for the last look, for a pause, and for n8n to resume the suspended execution.
const ENDING_MS = 30_000;
// A round continues as long as each poll gets its turn within this time after the one before, up to
// half a minute in all. Both are short because the execution occupies a worker meanwhile.
const MAX_QUEUE_MS = 3_000;
const MAX_ROUND_MS = 30_000;
// A poll more recent than this belongs to the last round, or to the minute in the process: rounds
// are further apart.
const RECENT_MS = MIN_STORED_MS;

/** What the suspension of a run's waits depends on. */
type SuspendableRun = Pick<Run, 'clock' | 'signal'>;

/**
 * Returns what suspends the waits of a run as soon as every item without results waits for its next
 * poll, a minute after the run began at the earliest. `openItems`: how many items have no results.
 * `timeoutSeconds`: the workflow's own timeout, if it has one.
 */
export function suspendLater(
	run: SuspendableRun & Pick<Run, 'beganAt'>,
	openItems: number,
	timeoutSeconds = Infinity,
): Suspension {
	const { beganAt } = run;
	const latestAt = beganAt + timeoutSeconds * 1000 - ENDING_MS - MIN_LEFT_MS;
	const earliestAt = beganAt + WAIT_IN_PROCESS_MS;
	return new JointSuspension(run, openItems, { earliestAt, latestAt, fullRoundUntil: earliestAt });
}

/**
 * Returns what suspends the waits of a round as soon as every item without results has had its
 * poll, or none has had a turn for three seconds, or after half a minute; not before a deadline
 * that is near. Call it when the waits begin: the three seconds pass from then on.
 */
export function suspendAgain(run: SuspendableRun, openItems: number): Suspension {
	const now = run.clock.elapsed();
	return new JointSuspension(run, openItems, {
		earliestAt: now,
		latestAt: Infinity,
		fullRoundUntil: now + MAX_ROUND_MS,
	});
}

/** When waits may be suspended, in ms, from `Clock.elapsed()`. */
interface SuspensionTimes {
	earliestAt: number;
	latestAt: number;
	/** Until when a wait that has not polled its job may keep all of them in the process. */
	fullRoundUntil: number;
}

/**
 * Suspends all waits of a run at once, as soon as nothing but waiting is left to do, if n8n can
 * resume each of them by its deadline. While an item starts a job or downloads a file, the jobs of
 * the others are polled in this process.
 */
class JointSuspension implements Suspension {
	readonly signal: AbortSignal;

	private readonly suspending = new AbortController();

	/** The waits whose next poll was not sent yet: they sleep, or queue for their turn. */
	private readonly sleeping = new Map<JobWait, { endsAt: number; hasPolled: boolean }>();

	/** From when on a wait may be suspended that has not polled its job. */
	private unpolledFrom: number;

	constructor(
		private readonly run: SuspendableRun,
		/** How many items have no results. */
		private openItems: number,
		private readonly times: SuspensionTimes,
	) {
		this.signal = anySignal(run.signal, this.suspending.signal);
		this.unpolledFrom = this.afterTurn();
		void this.decideLater();
	}

	recordSleep(wait: JobWait, state: { endsAt: number; hasPolled: boolean }): void {
		this.sleeping.set(wait, state);
		this.decide();
	}

	recordAwake(wait: JobWait): void {
		this.sleeping.delete(wait);
		if (this.run.clock.elapsed() < this.unpolledFrom) this.unpolledFrom = this.afterTurn();
	}

	recordResults(): void {
		this.openItems--;
		this.decide();
	}

	/** Returns until when a wait may queue for its turn if another one has its turn now. */
	private afterTurn(): number {
		return Math.min(this.run.clock.elapsed() + MAX_QUEUE_MS, this.times.fullRoundUntil);
	}

	private async decideLater(): Promise<void> {
		const { clock } = this.run;
		const msLeft = () => Math.max(this.times.earliestAt, this.unpolledFrom) - clock.elapsed();
		// Each turn of a wait puts the end of the round off.
		for (let ms = msLeft(); ms > 0 && !this.signal.aborted; ms = msLeft()) {
			await clock.sleep(ms, this.signal);
		}
		this.decide();
	}

	private decide(): void {
		const { unpolledFrom } = this;
		const { earliestAt, latestAt } = this.times;
		const now = this.run.clock.elapsed();
		const isTime = now >= earliestAt && now <= latestAt;
		if (!isTime || this.openItems === 0 || this.sleeping.size < this.openItems) return;
		const waits = [...this.sleeping.values()];
		const canBeSuspended = waits.every(
			({ endsAt, hasPolled }) => endsAt - now >= MIN_LEFT_MS && (hasPolled || now >= unpolledFrom),
		);
		if (canBeSuspended) this.suspending.abort();
	}
}

/** What the time of the next round depends on. Timestamps are in ms. */
export interface RoundPlan {
	now: number;
	/** When the interval begins: with the suspension or, after a round, with the last poll. */
	from: number;
	/** When the youngest of the jobs was started, or its wait began. */
	startedAt: number;
	firstDeadline: number;
	/** The number of the account's suspended waits in this process, those of this run included. */
	suspendedWaits: number;
	/** Which fraction of the run's waits was polled in its last round, from 0 to 1. */
	polledShare: number;
	limiter: Pick<RateLimiter, 'spacingMs' | 'unreducedSpacingMs' | 'closedMs'>;
	/** From 0 to 1. */
	random: number;
}

/**
 * Returns the time until the next round, in s. Jobs should be polled once in an eighth of the age
 * of the youngest, and at least every five minutes, but not more often than the rate limit allows
 * for all suspended waits of the account, give or take a quarter. A reduced share of the limit
 * counts for half an hour at most. A round that could poll only a fraction of its waits is followed
 * by the next one after that fraction of this time. The time ends at the first deadline, and is
 * never so short that n8n would keep the execution in memory.
 */
export function secondsToNextRound(plan: RoundPlan): number {
	const { now, from, startedAt, firstDeadline, suspendedWaits, limiter } = plan;
	const forAgeMs = Math.min((now - startedAt) * INTERVAL_TO_AGE_RATIO, MAX_INTERVAL_MS);
	const forLimitMs = (suspendedWaits * limiter.spacingMs) / CALLS_SHARE;
	const maxMs = Math.max(
		MAX_REDUCED_INTERVAL_MS,
		(suspendedWaits * limiter.unreducedSpacingMs) / CALLS_SHARE,
	);
	const plannedMs = Math.max(forAgeMs, forLimitMs) * (1 + JITTER * (2 * plan.random - 1));
	const intervalMs = Math.min(plannedMs, maxMs) * plan.polledShare;
	const openAt = Math.max(from + intervalMs, now + limiter.closedMs);
	const roundAt = Math.max(Math.min(openAt, firstDeadline), now + MIN_SUSPENSION_MS);
	return Math.ceil((roundAt - now) / 1000);
}

/**
 * Returns what the time of a run's next round depends on. At least one of its waits is suspended.
 * `state`: what is stored for that round. `isFirst`: whether the run is being suspended, so that it
 * has had no round.
 */
export function toRoundPlan(run: Run, state: SuspendedState, isFirst: boolean): RoundPlan {
	const now = run.clock.now();
	const items = suspendedItems(run);
	const waits = items.map(({ suspended }) => suspended.wait);
	const startTimes = items.map(({ item, suspended }) => {
		const { start } = jobsOf(item)[0]?.record ?? {};
		return start?.at ?? suspended.wait.beganAt;
	});
	// All items have the same credential.
	const account = items[0]?.item.client?.account;
	return {
		now,
		from: isFirst ? now : Math.max(...waits.map(({ polledAt = now }) => polledAt)),
		startedAt: Math.max(...startTimes),
		firstDeadline: Math.min(...state.items.map(({ wait }) => wait?.deadline ?? Infinity)),
		suspendedWaits: waits.length + jobsOfOthers(run.runtime, account, run.executionId),
		polledShare: polledShareOf(run, now),
		limiter: account?.polls ?? { spacingMs: 0, unreducedSpacingMs: 0, closedMs: 0 },
		random: Math.random(),
	};
}

/**
 * Returns which fraction of a run's waits was polled in its last round, including those whose job
 * ended in it. If none was, e.g. because of a Retry-After, returns 1: the next round should come no
 * sooner.
 */
function polledShareOf(run: Run, now: number): number {
	const isRecent = (at = -Infinity) => now - at < RECENT_MS;
	const suspended = suspendedItems(run);
	const ended = run.items.filter((item) => {
		const { state, seenAt } = jobsOf(item).at(-1)?.record ?? {};
		return state === 'ended' && isRecent(seenAt);
	});
	const polled = suspended.filter(({ suspended: { wait } }) => isRecent(wait.polledAt));
	const count = polled.length + ended.length;
	return count === 0 ? 1 : count / (suspended.length + ended.length);
}

/**
 * Returns a state whose waits end before the timeout of the workflow, if it has one: n8n would
 * cancel an execution that it resumes later, and the output would be lost. `startedAt`: when the
 * suspended execution began, a timestamp in ms.
 */
export function capDeadlines(state: SuspendedState, startedAt: number): SuspendedState {
	const { items, timeoutSeconds } = state;
	if (timeoutSeconds === undefined) return state;
	const deadline = startedAt + timeoutSeconds * 1000 - ENDING_MS;
	const capped = items.map((item) => {
		if (item.wait === undefined || item.wait.deadline <= deadline) return item;
		return { ...item, wait: { ...item.wait, deadline, isLimitedByWorkflow: true } };
	});
	return { ...state, items: capped };
}

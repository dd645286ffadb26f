import type { Suspension } from '../../jobs/Work';
import type { RateLimiter } from '../../service/RateLimiter';
import { jobsOf, type Item, type Run } from '../Run';
import { suspendedItems, type SuspendedState } from './state';

// n8n keeps shorter waits in memory, and the execution then occupies a worker.
const MIN_STORED_MS = 65_000;
// n8n reads the clock twice, so a wait of 65 s can come out a millisecond too short.
const MIN_SUSPENSION_MS = MIN_STORED_MS + 1_000;
// How long n8n takes to resume an execution.
const RESUME_MS = 4_000;

const MAX_INTERVAL_MS = 5 * 60_000;
// The interval between two rounds, as a fraction of the jobs' age.
const INTERVAL_TO_AGE_RATIO = 1 / 8;
// The share of the account's calls that rounds use; the rest is for other calls.
const CALLS_SHARE = 0.85;
// Keeps executions that were suspended together from being resumed together.
const JITTER = 0.25;

// How long an execution waits in the process before it is suspended. Most jobs end within this time
// and so never need n8n's database.
const WAIT_IN_PROCESS_MS = 60_000;
// A wait with less time left is not suspended: n8n would resume it too late.
const MIN_LEFT_MS = MIN_SUSPENSION_MS + RESUME_MS;
// Time for the final poll, for a pause, and for n8n to resume the suspended execution.
const ENDING_MS = 30_000;
// How long a poll of a round may queue for a permit. Kept short: its execution occupies a worker
// meanwhile.
const MAX_QUEUE_MS = 3_000;

/**
 * Suspends the waits of a run a minute after it began or, if that is later, once every item waits
 * or has ended, since nothing checks a suspended wait until the run has ended. `open`: the items
 * that will run. `timeoutSeconds`: the workflow's own timeout, if it has one.
 */
export function suspendLater(
	{ clock, beganAt }: Pick<Run, 'clock' | 'beganAt'>,
	open: Item[],
	timeoutSeconds = Infinity,
): Suspension {
	const busy = new Set<object>(open.flatMap(({ entry }) => (entry ? [entry.jobs] : [])));
	const latestAt = beganAt + timeoutSeconds * 1000 - ENDING_MS - MIN_LEFT_MS;
	let allIdleAt = busy.size === 0 ? beganAt : Infinity;
	return {
		markIdle(jobs) {
			if (busy.delete(jobs) && busy.size === 0) allIdleAt = clock.elapsed();
		},
		msToSuspension(msLeft) {
			const at = Math.max(allIdleAt, beganAt + WAIT_IN_PROCESS_MS);
			const ms = at - clock.elapsed();
			return at <= latestAt && ms <= msLeft - MIN_LEFT_MS ? ms : Infinity;
		},
	};
}

/**
 * Suspends each wait of a round again after one poll, or without one if it gets no permit in time.
 */
export function suspendAgain({ clock, beganAt }: Pick<Run, 'clock' | 'beganAt'>): Suspension {
	return {
		markIdle() {},
		msToSuspension(msLeft, turns) {
			// Too little time is left to suspend the wait, so the rest of it is spent in this process.
			if (msLeft < MIN_LEFT_MS) return Infinity;
			return turns > 0 ? 0 : beganAt + MAX_QUEUE_MS - clock.elapsed();
		},
	};
}

/** What the time of the next round depends on. Timestamps are in ms. */
export interface RoundPlan {
	now: number;
	/** When the interval begins: with the suspension or, after a round, with the last poll. */
	from: number;
	/** When the youngest of the jobs was started, or its wait began. */
	startedAt: number;
	firstDeadline: number;
	/** The number of the account's suspended jobs in this process, those of this run included. */
	suspendedJobs: number;
	limiter: Pick<RateLimiter, 'spacingMs' | 'closedMs'>;
	/** From 0 to 1. */
	random: number;
}

/**
 * Returns the time until the next round, in s: an eighth of the jobs' age, five minutes at most, or
 * as long as the account's suspended jobs need for one poll each within the rate limit. It ends at
 * the first deadline, and is never so short that n8n would keep the execution in memory.
 */
export function secondsToNextRound(plan: RoundPlan): number {
	const { now, from, startedAt, firstDeadline, suspendedJobs, limiter, random } = plan;
	const forAgeMs = Math.min((now - startedAt) * INTERVAL_TO_AGE_RATIO, MAX_INTERVAL_MS);
	const forLimitMs = (suspendedJobs * limiter.spacingMs) / CALLS_SHARE;
	const intervalMs = Math.max(forAgeMs, forLimitMs) * (1 + JITTER * (2 * random - 1));
	const openAt = Math.max(from + intervalMs, now + limiter.closedMs);
	const roundAt = Math.max(Math.min(openAt, firstDeadline), now + MIN_SUSPENSION_MS);
	return Math.ceil((roundAt - now) / 1000);
}

/**
 * Returns what the time of a run's next round depends on. At least one of its waits is suspended.
 * `isFirst`: whether the run is being suspended.
 */
export function toRoundPlan(run: Run, isFirst: boolean): RoundPlan {
	const now = run.clock.now();
	const items = suspendedItems(run);
	const waits = items.map(({ suspended }) => suspended.wait);
	const startTimes = items.map(({ item, suspended }) => {
		const { start } = jobsOf(item)[0]?.record ?? {};
		return start?.at ?? suspended.wait.beganAt;
	});
	// All items have the same credential.
	const account = items[0]?.item.client?.account;
	const others = [...run.runtime.suspended].filter(
		([executionId, other]) => executionId !== run.executionId && other.account === account,
	);
	return {
		now,
		from: isFirst ? now : Math.max(...waits.map(({ polledAt = now }) => polledAt)),
		startedAt: Math.max(...startTimes),
		firstDeadline: Math.min(...waits.map(({ deadline }) => deadline)),
		suspendedJobs: others.reduce((sum, [, { jobCount }]) => sum + jobCount, waits.length),
		limiter: account?.polls ?? { spacingMs: 0, closedMs: 0 },
		random: Math.random(),
	};
}

/**
 * Caps the deadlines of all waits in `state`, which are also those of its run, at the timeout of
 * the workflow, if it has one: n8n would cancel an execution that it resumes later, and the output
 * would be lost. `startedAt`: when the suspended execution began, a timestamp in ms.
 */
export function capDeadlines({ items, timeoutSeconds }: SuspendedState, startedAt: number): void {
	if (timeoutSeconds === undefined) return;
	const limit = startedAt + timeoutSeconds * 1000 - ENDING_MS;
	for (const { wait } of items) {
		if (wait === undefined || wait.deadline <= limit) continue;
		wait.deadline = limit;
		wait.isLimitedByWorkflow = true;
	}
}

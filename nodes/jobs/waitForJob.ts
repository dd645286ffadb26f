import { ServiceError } from '../errors/ServiceError';
import type { Permit } from '../service/RateLimiter';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobWait, WaitOptions, WaitResult } from './JobWait';
import { isFinished, isPaused, isTakenOver } from './status';

/** The part of a session that polling needs. */
type PollSession = Pick<JobSession, 'clock' | 'entry' | 'signal' | 'waitSignal'> & {
	client: Pick<ServiceClient, 'account' | 'getJob'>;
};

const BACKOFF = { firstMs: 1_000, maxMs: 30_000 };
// The polls of all waits share one group in the queue. Execution IDs are numbers, so this name
// can't collide with one.
const WAITS = 'waits';
// How long the final poll waits for its permit.
const MAX_FINAL_QUEUE_MS = 4_000;
// How long a poll of a suspended wait may queue for a permit. Kept short: its execution occupies a
// worker meanwhile.
const MAX_SUSPENDED_QUEUE_MS = 10_000;

const MIN_INTERVAL_MS = 1_000;
// Users notice a delay of a few seconds for jobs of up to a quarter of an hour, but not for longer
// ones.
const MAX_INTERVAL_FOR_SHORT_JOBS_MS = 5_500;
const MAX_INTERVAL_MS = 30_000;
// The poll interval, as a fraction of the job's age.
const INTERVAL_TO_AGE_RATIO = 1 / 17;
const LONG_JOB_INTERVAL_TO_AGE_RATIO = 1 / 150;
// Keeps processes that began together from polling together.
const JITTER = 0.15;

/** Waits for a job in this process until the wait is over or should be suspended. Never rejects. */
export async function waitForJob(session: JobSession, wait: JobWait): Promise<WaitResult> {
	const { clock, entry, minLeftMs, onWaiting, signal } = session;
	const { state, job } = entry.known;
	// An earlier run saw the job's end, so a retry doesn't poll again.
	if (state === 'finished' && job !== undefined) return { reason: 'status', job };

	onWaiting?.();
	const result = await pollUntilOver(session, wait);
	if (result.reason !== 'suspend' || wait.deadline - clock.now() >= minLeftMs) return result;
	// Too little time is left to suspend the wait, so the rest of it is spent in this process.
	return await pollUntilOver(
		{ ...session, waitSignal: signal },
		{ ...wait, isSuspendedRound: false },
	);
}

/**
 * Polls a job until its status or the deadline ends the wait, or until the wait is aborted or
 * should be suspended. The poll at the deadline is the final one. It is given up after a few
 * seconds, so that the wait ends in time however many calls are queued. Never rejects: the caller
 * decides what the result means.
 */
export async function pollUntilOver(
	session: PollSession,
	wait: JobWait,
	random: () => number = Math.random,
): Promise<WaitResult> {
	const { client, clock, entry, waitSignal } = session;
	const { deadline, isSuspendedRound = false } = wait;
	const suspendAt = isSuspendedRound ? clock.now() + MAX_SUSPENDED_QUEUE_MS : Infinity;
	const lastSeenAt = entry.known.seenAt ?? wait.startedAt;

	let dueAt = lastSeenAt === undefined ? wait.waitStartedAt : nextPollAt(wait, lastSeenAt, random);
	// Spaced: sent at even intervals, as RateLimiter.ts explains. A job that this node has neither
	// started nor polled may have ended already, so its first poll isn't spaced. A suspended wait
	// polls too rarely to need spacing.
	let isSpaced = lastSeenAt !== undefined && !isSuspendedRound;
	let lastError: unknown;
	let errorsInARow = 0;

	for (;;) {
		await clock.sleep(Math.min(dueAt, deadline, suspendAt) - clock.now(), waitSignal);

		const now = clock.now();
		const isFinal = now >= deadline;
		// The final poll goes ahead of all others.
		const turn = isFinal
			? { dueAt: -Infinity, isSpaced: false, deadline: now + MAX_FINAL_QUEUE_MS }
			: { dueAt, isSpaced, deadline: Math.min(deadline, suspendAt) };
		// Undefined if the wait was aborted, or if there was no permit by the deadline of this turn.
		const permit = await client.account.polls
			.acquire({ ...turn, group: WAITS, signal: waitSignal })
			.catch(() => {});
		if (waitSignal.aborted) {
			permit?.cancel();
			return { reason: abortReason(session) };
		}
		if (permit === undefined) {
			if (isFinal) return { reason: 'deadline', job: entry.known.job, error: lastError };
			if (clock.now() >= suspendAt) return { reason: 'suspend' };
			// The deadline has come: the next iteration is the final poll.
			continue;
		}

		const poll = await pollOnce(session, wait, permit);
		if (poll.kind === 'over') return poll.result;
		if (isSuspendedRound) return { reason: 'suspend' };

		let delayMs = 0;
		if (poll.kind === 'failed') {
			delayMs = backoffMs(poll.error, errorsInARow, BACKOFF);
			errorsInARow++;
			lastError = poll.error;
		} else {
			errorsInARow = 0;
			lastError = undefined;
		}
		dueAt = nextPollAt(wait, clock.now(), random, delayMs);
		isSpaced = true;
	}
}

/** What a poll showed. */
type PollOutcome =
	/** The wait is over. */
	| { kind: 'over'; result: WaitResult }
	/** The job continues, and so does the wait. */
	| { kind: 'seen' }
	/** The poll failed, and another one may succeed. */
	| { kind: 'failed'; error: unknown };

/** Polls the job once and records what it showed. Never rejects. */
async function pollOnce(
	session: PollSession,
	{ jobId, deadline, options }: JobWait,
	permit: Permit,
): Promise<PollOutcome> {
	const { client, clock, entry, waitSignal } = session;
	try {
		// HttpClient adds a few seconds to a deadline, so the final poll has time for its response.
		const callDeadline = Math.max(deadline, clock.now());
		const call = { permit, signal: waitSignal, deadline: callDeadline };
		const job = await client.getJob(jobId, call);
		entry.recordSeen(job);
		if (endsWait(job, options)) return { kind: 'over', result: { reason: 'status', job } };
		if (clock.now() < deadline) return { kind: 'seen' };
		return { kind: 'over', result: { reason: 'deadline', job } };
	} catch (error) {
		if (waitSignal.aborted) return { kind: 'over', result: { reason: abortReason(session) } };
		if (!isTransient(error, jobId, client)) {
			return { kind: 'over', result: { reason: 'error', error } };
		}
		if (clock.now() < deadline) return { kind: 'failed', error };
		return { kind: 'over', result: { reason: 'deadline', job: entry.known.job, error } };
	}
}

/**
 * Returns when to next poll a job that was last polled at `lastPollAt`. `delayMs`: the minimum
 * delay after a failed poll.
 */
function nextPollAt(
	{ startedAt, waitStartedAt, options }: JobWait,
	lastPollAt: number,
	random: () => number,
	delayMs = 0,
): number {
	const ageMs = lastPollAt - (startedAt ?? waitStartedAt);
	const intervalMs = pollIntervalMs(ageMs) * (1 + JITTER * (2 * random() - 1));
	return lastPollAt + Math.max(intervalMs, options.pollIntervalMs, delayMs);
}

/**
 * Returns the poll interval in ms. It grows with the job's age, so that the delay in noticing a
 * job's end stays a small fraction of its duration.
 */
export function pollIntervalMs(ageMs: number): number {
	const short = Math.min(ageMs * INTERVAL_TO_AGE_RATIO, MAX_INTERVAL_FOR_SHORT_JOBS_MS);
	const long = Math.min(ageMs * LONG_JOB_INTERVAL_TO_AGE_RATIO, MAX_INTERVAL_MS);
	return Math.max(MIN_INTERVAL_MS, short, long);
}

/** Returns why `waitSignal` was aborted: because the run ends, or to suspend the wait. */
function abortReason({ signal }: PollSession): 'aborted' | 'suspend' {
	return signal.aborted ? 'aborted' : 'suspend';
}

function endsWait(job: Job, { onPaused, onTakenOver }: WaitOptions): boolean {
	if (isTakenOver(job)) return onTakenOver !== 'wait';
	return isFinished(job) || (onPaused === 'return' && isPaused(job));
}

/** Whether it is worth polling again. A 404 right after the start means nothing yet. */
function isTransient(
	error: unknown,
	jobId: string,
	{ account }: Pick<ServiceClient, 'account'>,
): boolean {
	if (!(error instanceof ServiceError)) return false;
	return error.isTransient || (error.kind === 'notFound' && account.mayBeUnknownYet(jobId));
}

import { ServiceError } from '../errors/ServiceError';
import type { Permit } from '../service/RateLimiter';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobWait, WaitOptions, WaitResult } from './JobWait';
import { isCompletedWithoutOutput, isFinished, isTakenOver } from './status';

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

// A proxy's page, a rotated key or a lagging replica refuses a few polls of a job that runs on, so
// a refusal of a job that is known to exist counts only if it lasts.
const MIN_LASTING_REFUSALS = 3;
const MIN_LASTING_MS = 60_000;
// Right after a job was started elsewhere, some of the service's servers may not know it yet.
const MAY_BE_UNKNOWN_MS = 10_000;
// Some services record the status of a job a moment before its output.
const OUTPUT_DELAY_MS = 2_000;

/** Waits for a job in this process until the wait is over or should be suspended. Never rejects. */
export async function waitForJob(session: JobSession, wait: JobWait): Promise<WaitResult> {
	const { clock, entry, minLeftMs, onWaiting, signal, waitsInProgress } = session;
	// This run, or an equal call that is still in progress, has seen the job's end.
	if (entry.result !== undefined) return { reason: 'status', job: entry.result };

	waitsInProgress.add(wait);
	onWaiting?.();
	try {
		const result = await pollUntilOver(session, wait);
		if (result.reason !== 'suspend' || wait.deadline - clock.now() >= minLeftMs) return result;
		// Too little time is left to suspend the wait, so the rest of it is spent in this process.
		return await pollUntilOver(
			{ ...session, waitSignal: signal },
			{ ...wait, isSuspendedRound: false },
		);
	} finally {
		waitsInProgress.delete(wait);
	}
}

/**
 * Polls a job until its status, a lasting refusal or the deadline ends the wait, or until the wait
 * is aborted or should be suspended. The poll at the deadline is the final one. It is given up
 * after a few seconds, so that the wait ends in time however many calls are queued. Never rejects:
 * the caller decides what the result means.
 *
 * Counts refusals in `wait`, so that the next round of a suspended wait continues the count.
 */
export async function pollUntilOver(
	session: PollSession,
	wait: JobWait,
	random: () => number = Math.random,
): Promise<WaitResult> {
	const { client, clock, entry, waitSignal } = session;
	const { deadline, options, isSuspendedRound = false } = wait;
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
		// The final poll goes ahead of all others, and even if the service has asked for a pause.
		const turn = isFinal
			? { dueAt: -Infinity, ignoresRetryAfter: true, deadline: now + MAX_FINAL_QUEUE_MS }
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

		const { job, error } = await pollOnce(session, wait, permit);
		const isLate = clock.now() >= deadline;
		if (job !== undefined) {
			entry.recordSeen(job);
			if (endsWait(job, options)) return { reason: 'status', job };
			if (isLate) return { reason: 'deadline', job };
			wait.refusals = undefined;
			lastError = undefined;
			errorsInARow = 0;
		} else {
			if (waitSignal.aborted) return { reason: abortReason(session) };
			if (isRefusal(error) && hasLasted(session, wait, error)) return { reason: 'error', error };
			if (isLate) return { reason: 'deadline', job: entry.known.job, error };
			lastError = error;
			errorsInARow++;
		}
		if (isSuspendedRound) return { reason: 'suspend' };

		const delayMs = errorsInARow === 0 ? 0 : backoffMs(lastError, errorsInARow - 1, BACKOFF);
		dueAt = Math.min(nextPollAt(wait, clock.now(), random, delayMs), latestLookAt(session, wait));
		isSpaced = true;
	}
}

/** Polls the job once, and returns it or the error of the poll. Never rejects. */
async function pollOnce(
	session: PollSession,
	wait: JobWait,
	permit: Permit,
): Promise<{ job?: Job; error?: unknown }> {
	const { client, clock, waitSignal: signal } = session;
	try {
		// HttpClient adds a few seconds to a deadline, so the final poll has time for its response.
		const deadline = Math.max(wait.deadline, clock.now());
		const job = await client.getJob(wait.jobId, { permit, signal, deadline });
		return { job: isCompletedWithoutOutput(job) ? await readOnceMore(session, wait, job) : job };
	} catch (error) {
		return { error };
	}
}

/**
 * Returns a job that is completed but has no output as the service shows it two seconds later, or
 * as it is if the wait ends earlier or the job can't be read. Never rejects.
 */
async function readOnceMore(
	{ client, clock, waitSignal: signal }: PollSession,
	{ jobId, deadline }: JobWait,
	job: Job,
): Promise<Job> {
	const delayMs = Math.min(OUTPUT_DELAY_MS, deadline - clock.now());
	if (delayMs <= 0) return job;
	await clock.sleep(delayMs, signal);
	if (signal.aborted) return job;
	const options = { group: WAITS, signal, deadline: clock.now() + MAX_FINAL_QUEUE_MS };
	return await client.getJob(jobId, options).catch(() => job);
}

/** Whether an error is an answer that the same poll may get again. */
function isRefusal(error: unknown): boolean {
	return !(error instanceof ServiceError) || error.isRefusal;
}

/**
 * Counts a refused poll in `wait`, and returns whether that ends the wait.
 * - If this node has started the job or seen it: after three refusals or more without a successful
 *   poll between them, the last at least a minute after the first. A transient error between them
 *   neither counts nor interrupts them.
 * - If not: after ten seconds of 404 or 410, and at once for anything else, such as a wrong key.
 */
function hasLasted({ clock, entry }: PollSession, wait: JobWait, error: unknown): boolean {
	if (!(error instanceof ServiceError)) return true;
	const now = clock.now();
	const { count, firstAt } = wait.refusals ?? { count: 0, firstAt: now };
	wait.refusals = { count: count + 1, firstAt };
	if (entry.wasStartedOrSeen) {
		return count + 1 >= MIN_LASTING_REFUSALS && now - firstAt >= MIN_LASTING_MS;
	}
	return error.kind !== 'notFound' || now - firstAt >= MAY_BE_UNKNOWN_MS;
}

/** When to poll for the last time a job that may not exist: a timestamp in ms, or infinite. */
function latestLookAt({ clock, entry }: PollSession, { refusals }: JobWait): number {
	if (refusals === undefined || entry.wasStartedOrSeen) return Infinity;
	const at = refusals.firstAt + MAY_BE_UNKNOWN_MS;
	return at > clock.now() ? at : Infinity;
}

/**
 * Returns when to next poll a job that was last polled at `lastPollAt`. `delayMs`: the minimum
 * delay after a failed poll.
 */
function nextPollAt(
	{ startedAt, waitStartedAt }: JobWait,
	lastPollAt: number,
	random: () => number,
	delayMs = 0,
): number {
	const ageMs = lastPollAt - (startedAt ?? waitStartedAt);
	const intervalMs = pollIntervalMs(ageMs) * (1 + JITTER * (2 * random() - 1));
	return lastPollAt + Math.max(intervalMs, delayMs);
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

function endsWait(job: Job, { waitWhileTakenOver }: WaitOptions): boolean {
	return isTakenOver(job) ? !waitWhileTakenOver : isFinished(job);
}

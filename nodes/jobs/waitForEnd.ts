import { anySignal, untilAborted } from '../async/abortSignals';
import { type NodeFailure, stoppedError } from '../errors/NodeFailure';
import { kindOf, ServiceError } from '../errors/ServiceError';
import type { Turn } from '../service/RateLimiter';
import { backoffMs } from '../service/retryPolicies';
import type { Job } from '../service/types';
import type { JobOptions } from './JobTask';
import { pauseBeforeEnd } from './pause';
import { recordSeen } from './recordSeen';
import {
	hasFinalStatus,
	isCompletedWithoutOutput,
	isFinished,
	isSuccessful,
	isTakenOver,
} from './status';
import { type TrackedJob, toJob } from './TrackedJob';
import { refusedTooLongError, timedOutError } from './waitErrors';
import type { JobRun, JobWait, WaitEnd, Work } from './Work';

const BACKOFF = { firstMs: 1_000, maxMs: 30_000 };
// The polls of all waits share one group in the queue. Execution IDs are numbers, so this name
// can't collide with one.
const WAITS = 'waits';
// How long the last look, the poll at the deadline, waits for its turn.
const MAX_LAST_LOOK_QUEUE_MS = 4_000;
// For a failed job that a retry reads once more.
const MAX_REREAD_MS = 10_000;

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

// Because of a proxy, a rotated key or a lagging replica, a few polls of a running job may be
// refused, so refusals end the wait for a job that is known to exist only if they go on for this
// long.
const MIN_REFUSALS = 3;
const MIN_REFUSED_MS = 60_000;
// Right after a job was started elsewhere, some of the service's servers may not know it yet.
const MAY_BE_UNKNOWN_MS = 10_000;
/** Some services record a job's status shortly before its output: how long to wait for that. */
export const OUTPUT_DELAY_MS = 2_000;

/** The options that say when a wait is over, and how. */
type EndOptions = Pick<JobOptions, 'waitWhileTakenOver' | 'returnInsteadOfFailing'>;

/**
 * Waits for a job in this process until it has ended or was taken over, until the deadline, or
 * until the wait should be suspended. The poll at the deadline is the last look. It is given up
 * after a few seconds, so that the wait ends in time however many calls are queued.
 *
 * Throws a `NodeFailure` that names the job if it was not finished at the deadline, unless such
 * jobs are returned, and if its polls were refused for too long: then the job is paused first if
 * the user's policy says so. Throws a Stop when the run ends.
 *
 * Counts refusals in `wait`, so that the next round of a suspended wait continues the count.
 */
export async function waitForEnd(
	work: Work,
	wait: JobWait,
	options: EndOptions,
	random: () => number = Math.random,
): Promise<WaitEnd> {
	const { run, job } = work;
	const { suspension, waitsInProgress } = run;
	// This run, or an equal call that is still in progress, has seen the job's end.
	if (job.ended !== undefined) return { kind: 'finished', job: job.ended };
	if (hasEndedWithoutSuccess(job)) return { kind: 'finished', job: await readAgain(work) };

	waitsInProgress.add(wait);
	// Not awaited, so that none of thousands of waits keeps the memory of this function.
	return pollUntilOver(work, wait, options, random).finally(() => {
		waitsInProgress.delete(wait);
		suspension?.recordAwake(wait);
	});
}

async function pollUntilOver(
	work: Work,
	wait: JobWait,
	options: EndOptions,
	random: () => number,
): Promise<WaitEnd> {
	const { run, client, job } = work;
	const { clock, signal, suspension } = run;
	// By measured time, since somebody may set the machine's clock meanwhile.
	const endsAt = clock.elapsed() + (wait.deadline - clock.now());
	const wakeUp = wakeUpOf(run);
	const lastSeenAt = job.record.seenAt ?? job.record.start?.at;
	// If failed polls didn't count, jobs whose polls fail would always have the first turns of a
	// round.
	const lastPollAt =
		lastSeenAt === undefined ? wait.failedAt : Math.max(lastSeenAt, wait.failedAt ?? 0);
	let dueAt = clock.elapsed() + msToNextPoll(work, wait, { lastPollAt, random });
	let hasPolled = false;
	let lastError: unknown;
	let errorsInARow = 0;

	for (let turns = 0; ; turns++) {
		suspension?.recordSleep(wait, { endsAt, hasPolled });
		await clock.sleep(Math.min(dueAt, endsAt) - clock.elapsed(), wakeUp);

		const isLastLook = clock.elapsed() >= endsAt;
		// Spaced: sent at even intervals, as RateLimiter.ts explains. The first poll isn't if the job
		// may have ended long ago, because this node has neither started nor seen it, or if the wait
		// may be suspended: a round waits for its first polls only briefly.
		const isSpaced = turns > 0 || (lastSeenAt !== undefined && suspension === undefined);
		let wasSent = false;
		// The last look goes ahead of all other waits, and even while a Retry-After holds.
		const turn: Turn = {
			group: WAITS,
			signal: wakeUp,
			dueAt: isLastLook ? -Infinity : dueAt,
			isSpaced: isSpaced && !isLastLook,
			ignoresRetryAfter: isLastLook,
			giveUpAt: isLastLook ? clock.elapsed() + MAX_LAST_LOOK_QUEUE_MS : endsAt,
			beforeSending() {
				if (wakeUp.aborted) throw new ServiceError({ kind: 'aborted' });
				suspension?.recordAwake(wait);
				wait.polledAt = clock.now();
				wasSent = true;
			},
		};
		let error: unknown;
		const keep = (caught: unknown) => {
			error = caught;
			return undefined;
		};
		const poll = () => client.account.polls.run(turn, async () => await pollOnce(work, endsAt));
		let seen = await poll().catch(keep);
		if (wasSent && error !== undefined) {
			// Reading the credential again may take a while.
			const hasNewKey = await untilAborted(client.hasNewKey(error), wakeUp);
			if (hasNewKey === true) seen = await poll().catch(keep);
		}
		if (!wasSent) {
			// It has had no turn in time, or the waits are suspended, or the run has ended.
			if (signal.aborted) throw endOfRunError(work);
			if (wakeUp.aborted) return { kind: 'suspended' };
			if (isLastLook) return await endAtDeadline(work, wait, options, { error: lastError });
			continue;
		}
		hasPolled = true;
		if (seen !== undefined) {
			seen = await withOutput(work, seen, endsAt);
			recordSeen(work, seen);
			if (endsWait(seen, options)) return { kind: 'finished', job: seen };
			wait.refusals = undefined;
			lastError = undefined;
			errorsInARow = 0;
		} else {
			if (signal.aborted) throw endOfRunError(work);
			if (mayEndWait(error) && countRefusal(work, wait, error)) {
				return await giveUp(work, refusedTooLongError(work, error));
			}
			if (kindOf(error) !== 'rateLimited') wait.failedAt = clock.now();
			lastError = error;
			errorsInARow++;
		}
		if (clock.elapsed() >= endsAt) {
			return await endAtDeadline(work, wait, options, { seen, error: lastError });
		}
		const delayMs = errorsInARow === 0 ? 0 : backoffMs(lastError, errorsInARow - 1, BACKOFF);
		const ms = msToNextPoll(work, wait, { lastPollAt: clock.now(), random, delayMs });
		dueAt = clock.elapsed() + Math.min(ms, msUntilMissing(work, wait));
	}
}

/**
 * Polls the job once, in its turn. `endsAt`: when the wait ends, in ms, from `Clock.elapsed()`.
 * Throws a `ServiceError`.
 */
async function pollOnce({ run, client, job }: Work, endsAt: number): Promise<Job> {
	const { job_id: jobId = '' } = job.record;
	// HttpClient adds a few seconds, so the last look has time for its response.
	const endBy = Math.max(endsAt, run.clock.elapsed());
	return await client.getJobInTurn(jobId, { endBy, signal: wakeUpOf(run) });
}

/**
 * Reads a job once more if it is completed without output, which may come a moment later. Returns
 * it as it was if that fails, or if the wait ends before.
 */
async function withOutput({ run, client }: Work, seen: Job, endsAt: number): Promise<Job> {
	const { clock, signal } = run;
	const delayMs = Math.min(OUTPUT_DELAY_MS, endsAt - clock.elapsed());
	if (!isCompletedWithoutOutput(seen) || delayMs <= 0) return seen;

	await clock.sleep(delayMs, signal);
	if (signal.aborted) return seen;
	const again = { group: WAITS, signal, endBy: clock.elapsed() + MAX_LAST_LOOK_QUEUE_MS };
	return await client.getJob(seen.job_id, again).catch(() => seen);
}

/** Aborted when the waits of a run are suspended, and when it ends. */
function wakeUpOf({ suspension, signal }: JobRun): AbortSignal {
	return suspension?.signal ?? signal;
}

function endsWait(seen: Job, { waitWhileTakenOver }: EndOptions): boolean {
	return isTakenOver(seen) ? !waitWhileTakenOver : isFinished(seen);
}

/**
 * Ends a wait at its deadline: returns the job as it is, or throws. `seen`: what the
 * poll that ended after the deadline showed; `error`: why it failed.
 */
async function endAtDeadline(
	work: Work,
	wait: JobWait,
	{ returnInsteadOfFailing }: EndOptions,
	{ seen, error }: { seen?: Job; error?: unknown },
): Promise<WaitEnd> {
	const { job } = work;
	const { seenAt, status = '' } = job.record;
	const isReturned =
		returnInsteadOfFailing.includes('timeout') ||
		(isTakenOver({ status }) && returnInsteadOfFailing.includes('takeover'));
	// Its text is about the job before the pause.
	const timeout = timedOutError(work, wait, { wasJobSeen: seen !== undefined, error });
	// A job that was never seen may not exist, so it is not returned.
	if (seenAt === undefined || !isReturned) return await giveUp(work, timeout);

	await pauseBeforeEnd(work, 'returned');
	if (job.ended !== undefined) return { kind: 'finished', job: job.ended };
	// The pause may have changed the status.
	const { status: statusNow = status } = job.record;
	return { kind: 'unfinished', job: { ...(seen ?? toJob(job.record)), status: statusNow } };
}

/**
 * Gives up a job, which is paused if the user's policy says so. Throws the error, unless the job
 * has ended meanwhile.
 */
async function giveUp(work: Work, error: NodeFailure): Promise<WaitEnd> {
	await pauseBeforeEnd(work, 'failed');
	if (work.job.ended !== undefined) return { kind: 'finished', job: work.job.ended };
	throw error;
}

function endOfRunError({ job }: Work): NodeFailure {
	return stoppedError(`the node stopped waiting for job ${job.record.job_id}`);
}

/** Whether the job is known to have ended without success, so that nothing will change. */
function hasEndedWithoutSuccess({ record: { state, status = '' } }: TrackedJob): boolean {
	return state === 'ended' && !isSuccessful({ status });
}

/**
 * Reads a job that has failed once more, so that a retry fails with the same words. Takes ten
 * seconds at most. Without an answer, returns what is known of the job. Throws a Stop when the run
 * ends.
 */
async function readAgain(work: Work): Promise<Job> {
	const { run, client, job } = work;
	const { job_id: jobId = '' } = job.record;
	const signal = anySignal(run.signal, run.clock.timeout(MAX_REREAD_MS));
	const seen = await client.getJob(jobId, { group: run.executionId, signal }).catch(() => {});
	if (run.signal.aborted) throw endOfRunError(work);
	if (seen === undefined || !hasFinalStatus(seen)) return toJob(job.record);
	recordSeen(work, seen);
	return seen;
}

/** Whether an error may end the wait: a refusal, or one that nobody foresaw. */
function mayEndWait(error: unknown): boolean {
	return !(error instanceof ServiceError) || error.isRefusal;
}

/**
 * Counts a refused poll in `wait`, and returns whether that ends the wait:
 * - if this node has started the job or seen it: the third refusal does, or a later one, at least a
 *   minute after the first,
 * - otherwise: the third `notFound` does, or a later one, at least ten seconds after the first, and
 *   any other refusal, such as that of a wrong key, at once.
 *
 * A successful poll resets the count; a transient error doesn't. An error that nobody foresaw ends
 * the wait at once.
 */
function countRefusal({ run, job }: Work, wait: JobWait, error: unknown): boolean {
	if (!(error instanceof ServiceError)) return true;
	const now = run.clock.now();
	const { count, firstAt } = wait.refusals ?? { count: 0, firstAt: now };
	wait.refusals = { count: count + 1, firstAt };
	if (!job.exists && error.kind !== 'notFound') return true;
	const leastMs = job.exists ? MIN_REFUSED_MS : MAY_BE_UNKNOWN_MS;
	return count + 1 >= MIN_REFUSALS && now - firstAt >= leastMs;
}

/**
 * Returns the time in ms until a job that the service does not know may count as missing;
 * `Infinity` for others.
 */
function msUntilMissing({ run, job }: Work, { refusals }: JobWait): number {
	if (refusals === undefined || job.exists) return Infinity;
	const ms = refusals.firstAt + MAY_BE_UNKNOWN_MS - run.clock.now();
	return ms > 0 ? ms : Infinity;
}

/**
 * Returns the time in ms until the next poll of a job that was last polled at `lastPollAt`, at
 * least `delayMs` after that; a job that was never polled is due since the wait began. Negative if
 * the poll is overdue.
 */
function msToNextPoll(
	{ run, job }: Work,
	{ beganAt }: JobWait,
	{
		lastPollAt,
		random,
		delayMs = 0,
	}: { lastPollAt?: number; random: () => number; delayMs?: number },
): number {
	// The clock may have been set back since, or that of another process may be ahead.
	const passedMs = Math.max(0, run.clock.now() - (lastPollAt ?? beganAt));
	if (lastPollAt === undefined) return -passedMs;
	const ageMs = lastPollAt - (job.record.start?.at ?? beganAt);
	const intervalMs = pollIntervalMs(ageMs) * (1 + JITTER * (2 * random() - 1));
	return Math.max(intervalMs, delayMs) - passedMs;
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

import { untilAborted } from '../async/abortSignals';
import { limitConcurrency } from '../async/limitConcurrency';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { isTransient, messageOf, ServiceError } from '../errors/ServiceError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { backoffMs } from '../service/retryPolicies';
import { recordSeen } from './recordSeen';
import { isFinished, isPaused, isTakenOver } from './status';
import type { TrackedJob } from './TrackedJob';
import type { PauseWork, Work } from './Work';

const MAX_MS = 5 * 60_000;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
// Short enough to retry a request that gets no response.
const MAX_TRY_MS = 7_000;
const MAX_CONCURRENT = 10;
const MAX_FIRST_TRY_MS = 5_000;

/** Why the node no longer waits for a job that has not ended. */
export type PauseReason =
	/** The execution was stopped. */
	| 'stopped'
	/** The item fails, or another item makes the run fail. */
	| 'failed'
	/** The item is returned with its job as it is. */
	| 'returned';

/**
 * Whether to pause a job that the node no longer watches, whether or not it has waited for it. This
 * is the only rule, with one exception: `resumeIfPaused` completes a pause that it has interrupted
 * if it then can't read the job's status. The rule is applied
 * - by failRun.ts when the node fails or is stopped, and to a job whose start was on its way, once
 *   the response arrives,
 * - by waitForEnd.ts when a single wait ends early,
 * - by suspend/watch.ts when waits are suspended, for a Stop that comes later,
 * - by `resumeIfPaused` when a job can't be resumed.
 *
 * The rule:
 * - A Stop pauses every job unless the user has chosen 'Never', even one that was last seen paused
 *   or taken over: its user may have let it continue since.
 * - Otherwise, a job is paused only with 'When the Wait Ends Early', and not if a user has paused
 *   or taken over it, nor if the item fails and a retry is certain to continue with it: Retry On
 *   Fail has a try left, Continue On Fail is off, and the node isn't a tool.
 *
 * Without the option, it is 'On Stop' for jobs that the node starts, and 'Never' for Job: Wait.
 */
export function shouldPause({ run, job, pauseJob }: Work, reason: PauseReason): boolean {
	const { status = '' } = job.record;
	if (!mayRun(job) || pauseJob === 'never') return false;
	if (reason === 'stopped') return true;
	if (pauseJob !== 'onEarlyEnd' || isPaused({ status }) || isTakenOver({ status })) return false;
	return reason === 'returned' || !run.isRetryCertain();
}

/**
 * Pauses a job whose wait is about to end, if `shouldPause` says so; other items of the run may
 * continue. Waits for the first try, but no longer than five seconds or until the run ends. Never
 * throws.
 */
export async function pauseBeforeEnd(work: Work, reason: PauseReason): Promise<void> {
	const { clock, signal } = work.run;
	if (!shouldPause(work, reason)) return;
	await Promise.race([pauseJob(work), clock.sleep(MAX_FIRST_TRY_MS, signal)]);
}

/** Pauses several jobs, ten at a time, and resolves after the first try for each. Never throws. */
export async function pauseJobs(all: PauseWork[]): Promise<void> {
	await limitConcurrency(all, MAX_CONCURRENT, pauseJob);
}

/**
 * Pauses a job. Resolves after the first try, which includes a status check if the service does not
 * accept the pause. Unless the job was then seen paused, taken over or ended, more tries follow in
 * the background, even after the end of the run. Never throws: the job's state tells whether it
 * worked.
 *
 * Returns at once if a pause is being tried already. Otherwise, the first try waits for the pending
 * request, if there is one: a resume, or the last try of a pause whose tries were ended.
 */
export async function pauseJob(work: PauseWork): Promise<void> {
	const { job } = work;
	const { job_id: jobId } = job.record;
	if (jobId === undefined || job.isPausing || !mayRun(job)) return;

	const before = job.pendingRequest;
	const tries = new AbortController();
	await new Promise<void>((afterTry) => {
		const pausing = pauseUntilDone(work, jobId, { before, afterTry, signal: tries.signal });
		job.recordRequest(pausing, tries);
	});
}

/** Whether a job may be running, or its start may be on its way: a Stop may have to pause it. */
export function mayRunOrStart(job: TrackedJob): boolean {
	return mayRun(job) || job.record.state === 'starting';
}

function mayRun({ record: { state } }: TrackedJob): boolean {
	return state === 'started' || state === 'unsettled';
}

/**
 * Sends a pause again and again until the job is seen paused, taken over or ended, for five
 * minutes, whatever the answers: a job that nobody waits for must not run on because of a page of
 * a proxy. Waits for `before` first; the job may not run anymore then. `afterTry` is called after
 * each try, or if there is none. `signal` prevents more tries; it is not the run's, since the job
 * outlives the run.
 */
async function pauseUntilDone(
	work: PauseWork,
	jobId: string,
	{
		before,
		afterTry,
		signal,
	}: { before: Promise<void> | undefined; afterTry: () => void; signal: AbortSignal },
): Promise<void> {
	const { run, job } = work;
	const { clock, logger } = run;
	await before;
	if (signal.aborted || !mayRun(job)) {
		afterTry();
		return;
	}
	const giveUpAt = clock.elapsed() + MAX_MS;
	for (let failures = 0; ; failures++) {
		job.recordEvent('pauseSent');
		const { isDone, error } = await sendPause(work, jobId);
		if (!isDone) job.recordFailedTry();
		afterTry();
		if (isDone) return;

		const leftMs = giveUpAt - clock.elapsed();
		if (leftMs <= 0) {
			logger.warn(`Browser Agent gave up pausing job ${jobId}, which may still be running`, {
				jobId,
			});
			return;
		}
		// Even if the service asks for a longer delay: the job uses credits meanwhile.
		const delayMs = Math.min(backoffMs(error, failures, BACKOFF), BACKOFF.maxMs, leftMs);
		await clock.sleep(delayMs, signal);
		if (signal.aborted) return;
	}
}

/**
 * Sends a pause once; if the service does not accept it, reads the job's status. Returns whether a
 * confirmation or the status shows that the agent no longer works on the job, and the error of the
 * pause. Never throws.
 */
async function sendPause(
	work: PauseWork,
	jobId: string,
): Promise<{ isDone: boolean; error?: unknown }> {
	const { run, client, job } = work;
	const { logger } = run;
	const tryOptions = () => ({ group: run.executionId, endBy: run.clock.elapsed() + MAX_TRY_MS });
	try {
		await client.pauseJob(jobId, tryOptions());
		job.recordEvent('pauseDone');
		logger.info(`Browser Agent paused job ${jobId} because nothing is waiting for it anymore`, {
			jobId,
		});
		return { isDone: true };
	} catch (error) {
		logger.warn(`Browser Agent could not pause job ${jobId}: ${messageOf(error)}`, { jobId });
		const seen = isTransient(error)
			? undefined
			: await client.getJob(jobId, tryOptions()).catch(() => {});
		if (seen === undefined) return { isDone: false, error };

		recordSeen(work, seen);
		const isDone = isPaused(seen) || isFinished(seen);
		if (isDone) {
			const status = client.redactor.toPlainText(seen.status, MAX_NAME_CHARACTERS);
			logger.info(`Browser Agent stopped pausing job ${jobId}: its status is '${status}'`, {
				jobId,
			});
		}
		return { isDone, error };
	}
}

/**
 * Stops an earlier run of the node from trying again to pause the job, and resumes the job if that
 * run paused it. If it is unclear whether the job is paused, or if the service does not resume it,
 * its status decides. Throws a `NodeFailure` if the job may still be paused; then a pause that was
 * interrupted is completed. Does nothing once the run has ended.
 */
export async function resumeIfPaused(work: Work): Promise<void> {
	const { run, job } = work;
	const { signal } = run;
	const { job_id: jobId } = job.record;
	if (jobId === undefined || signal.aborted) return;

	const wasPausing = job.isPausing;
	job.endTries();
	await untilAborted(job.pendingRequest, signal);
	try {
		if (job.record.state === 'unsettled' && !signal.aborted) await readStatus(work, jobId);
	} catch (error) {
		if (wasPausing) void pauseJob(work);
		throw toNodeFailure(error, { jobId });
	}
	if (job.record.state !== 'paused' || signal.aborted) return;

	const resuming = sendResume(work, jobId);
	job.recordRequest(resuming);
	const error = await untilAborted(resuming, signal);
	if (error === undefined) return;

	const isKnown = error instanceof ServiceError;
	if (isKnown && !error.isTransient) {
		// It may have ended, or somebody else may have resumed it.
		await readStatus(work, jobId).catch(() => {});
		if (!mayBePaused(job)) return;
	}
	await pauseBeforeEnd(work, 'failed');
	throw toNodeFailure(error, { jobId, action: 'resume' });
}

/**
 * Sends a resume, up to three times until the run ends, and returns the error if it has failed.
 * Never rejects. A request that was sent is not aborted: otherwise, the service might carry it out
 * after the pause that follows the end of a run.
 */
async function sendResume({ run, client, job }: Work, jobId: string): Promise<unknown> {
	const { logger, signal } = run;
	job.recordEvent('resumeSent');
	try {
		await client.resumeJob(jobId, { retry: true, triesSignal: signal });
		job.recordEvent('resumeDone');
		return undefined;
	} catch (error) {
		logger.warn(`Browser Agent could not resume job ${jobId}: ${messageOf(error)}`, { jobId });
		if (error instanceof ServiceError && error.provesNothingWasDone) {
			job.recordEvent('resumeFailed');
		}
		return error;
	}
}

function mayBePaused({ record: { state } }: TrackedJob): boolean {
	return state === 'paused' || state === 'unsettled';
}

/** Records the job's current status. Throws a `ServiceError` if it can't be read. */
async function readStatus(work: Work, jobId: string): Promise<void> {
	const { executionId: group, signal } = work.run;
	const read = work.client.getJob(jobId, { group, signal, retry: true });
	// After a Stop, this returns without an error; callers check the signal.
	const seen = await untilAborted(read, signal);
	if (seen !== undefined) recordSeen(work, seen);
}

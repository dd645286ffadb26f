import { untilAborted } from '../async/abortSignals';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import type { JobSession } from './JobSession';
import type { JobState } from './jobStateMachine';
import { pauseJob, pauseWhenWaitEndsEarly } from './pauseJob';

const MAY_BE_PAUSED: JobState[] = ['paused', 'pauseUnclear'];

/**
 * Stops an earlier run of the node from trying again to pause the job, and resumes the job if that
 * run paused it. Throws a `UserError` if the job may still be paused. Does nothing once the run
 * has ended.
 * - If it is unclear whether the job is paused, or if the service refuses to resume it, its status
 *   decides.
 * - If it is unclear whether the job was resumed, it is paused again if its policy says so. A retry
 *   resumes it.
 */
export async function resumeIfPaused(session: JobSession): Promise<void> {
	const { client, entry, logger, signal } = session;
	const { jobId } = entry.known;
	if (jobId === undefined || signal.aborted) return;

	await finishPausing(session, jobId);
	if (entry.state !== 'paused' || signal.aborted) return;

	entry.record('resumeSent');
	try {
		await client.resumeJob(jobId, { signal, retry: true });
		entry.record('resumeDone');
	} catch (error) {
		logger.warn(`Browser Agent could not resume job ${jobId}: ${messageOf(error)}`, { jobId });
		const isCertain = error instanceof ServiceError && error.provesNothingWasDone;
		entry.record(isCertain ? 'resumeRejected' : 'resumeLost');
		if (isPermanent(error)) {
			// It may have ended, or somebody else may have resumed it.
			await readStatus(session, jobId).catch(() => {});
			if (!MAY_BE_PAUSED.includes(entry.state)) return;
		}
		if (!isCertain && !signal.aborted) await pauseWhenWaitEndsEarly(session);
		throw toUserError(error, { jobId, action: 'resume' });
	}
}

/**
 * Prevents more tries to pause the job, and waits for the current one. If it is then unclear
 * whether the job is paused, records its status. Throws a `UserError` if that can't be read.
 */
async function finishPausing(session: JobSession, jobId: string): Promise<void> {
	const { entry, signal } = session;
	const { pendingRequest } = entry;
	const wasPausing = pendingRequest !== undefined;
	entry.endTries();
	await untilAborted(pendingRequest, signal);
	try {
		if (entry.state === 'pauseUnclear' && !signal.aborted) await readStatus(session, jobId);
	} finally {
		const isPauseUnconfirmed = entry.state === 'pausing' || entry.state === 'pauseUnclear';
		// Only after a Stop, or if the status can't be read: the run gives the job up, so the job is
		// paused in the background.
		if (wasPausing && isPauseUnconfirmed)
			void pendingRequest?.then(async () => await pauseJob(session, entry));
	}
}

/** Records the job's current status. Throws a `UserError` if it can't be read. */
async function readStatus(
	{ client, entry, executionId, signal }: JobSession,
	jobId: string,
): Promise<void> {
	try {
		const read = client.getJob(jobId, { group: executionId, signal, retry: true });
		// After a Stop, this returns without an error; callers check the signal.
		const job = await untilAborted(read, signal);
		if (job !== undefined) entry.recordSeen(job);
	} catch (error) {
		throw toUserError(error, { jobId });
	}
}

/** Whether the error is permanent: in most cases, the service refused the request. */
function isPermanent(error: unknown): boolean {
	return error instanceof ServiceError && !error.isTransient && error.kind !== 'aborted';
}

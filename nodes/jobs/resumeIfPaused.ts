import { untilAborted } from '../async/abortSignals';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import type { JobSession } from './JobSession';
import type { JobState } from './jobStates';
import { pauseJob, pauseWhenWaitEndsEarly } from './pauseJob';

const MAY_BE_PAUSED: JobState[] = ['paused', 'resumeUnclear'];

/**
 * Resumes a job that an earlier run of the node has paused, and ends that run's tries to pause
 * it. If it is unclear whether it is paused, or if the service refuses to resume it, its status
 * decides. Throws a `UserError` if the job may still be paused. Before that, a job that may have
 * been resumed after all is paused once more, if its policy says so; a retry resumes it.
 */
export async function resumeIfPaused(session: JobSession): Promise<void> {
	const { client, entry, logger, signal } = session;
	const { jobId } = entry.known;
	if (jobId === undefined || signal.aborted) return;

	await settlePause(session, jobId);
	if (entry.state !== 'paused' || signal.aborted) return;

	entry.record('resumeSent');
	try {
		await client.resumeJob(jobId, { signal, retry: true });
		entry.record('resumeDone');
	} catch (error) {
		logger.warn(`Browser Agent could not resume job ${jobId}: ${messageOf(error)}`);
		const isCertain = error instanceof ServiceError && error.isDefinitelyNotProcessed;
		entry.record(isCertain ? 'resumeRejected' : 'resumeLost');
		if (isRefusal(error)) {
			// It may have ended, or somebody else may have resumed it.
			await readStatus(session, jobId).catch(() => {});
			if (!MAY_BE_PAUSED.includes(entry.state)) return;
		}
		if (!isCertain && !signal.aborted) await pauseWhenWaitEndsEarly(session);
		throw toUserError(error, { jobId, action: 'resume' });
	}
}

/**
 * Ends further tries to pause the job. If it may run then, enters its status; throws if that can't
 * be read.
 */
async function settlePause(session: JobSession, jobId: string): Promise<void> {
	const { entry, signal } = session;
	const { request } = entry;
	const wasPausing = entry.state === 'pausing';
	entry.endTries();
	await untilAborted(request, signal);
	try {
		const isUnclear = entry.state === 'pauseFailed' || entry.state === 'resumeUnclear';
		if (isUnclear && !signal.aborted) await readStatus(session, jobId);
	} finally {
		const isUnpaused = entry.state === 'pausing' || entry.state === 'pauseFailed';
		// Nobody continues with the job, so the tries go on.
		if (wasPausing && isUnpaused) void request?.then(async () => await pauseJob(session, entry));
	}
}

/** Enters the job's status. Throws a `UserError` if it can't be read. */
async function readStatus(
	{ client, entry, execution, signal }: JobSession,
	jobId: string,
): Promise<void> {
	try {
		// A read that waits for its permit is too slow to notice a Stop.
		const read = client.getJob(jobId, { execution, signal, retry: true });
		const job = await untilAborted(read, signal);
		if (job !== undefined) entry.recordSeen(job);
	} catch (error) {
		throw toUserError(error, { jobId });
	}
}

/** Whether the service has read the request and refused it. */
function isRefusal(error: unknown): boolean {
	return error instanceof ServiceError && !error.isTransient && error.kind !== 'aborted';
}

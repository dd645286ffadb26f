import { untilAborted } from '../async/abortSignals';
import { rethrown } from '../async/retry';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import type { JobContext } from './JobContext';
import { pauseWhenWaitEndsEarly } from './waitOutcome';

/**
 * Resumes a job that an earlier run of the node has paused, and ends that run's further tries to pause it. If
 * it is unclear whether it is paused, or if the service refuses to resume it, its status decides. Throws a
 * `UserError` if the job may still be paused. If the outcome of the resume is unclear, the job is paused once
 * more before that, if its policy says so, and a retry resumes it.
 */
export async function resumeIfPaused(context: JobContext): Promise<void> {
	const { client, entry, logger, signal } = context;
	await entry.endRequest(signal);
	const { jobId } = entry.known;
	if (jobId === undefined || signal.aborted) return;

	const isUnclear = entry.state === 'pauseFailed' || entry.state === 'resumeUnclear';
	if (isUnclear) await readStatus(context, jobId);
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
			await readStatus(context, jobId).catch(() => {});
			if (entry.state !== 'paused') return;
		} else if (!isCertain && !signal.aborted) {
			await pauseWhenWaitEndsEarly(context);
		}
		throw rethrown(toUserError(error, { jobId, action: 'resume' }));
	}
}

/** Enters the job's status. Throws a `UserError` if it can't be read. */
async function readStatus(
	{ client, entry, execution, signal }: JobContext,
	jobId: string,
): Promise<void> {
	try {
		// A read that waits for its permit is too slow to notice a Stop.
		const read = client.getJob(jobId, { execution, signal, retry: true });
		const job = await untilAborted(read, signal);
		if (job !== undefined) entry.recordSeen(job);
	} catch (error) {
		throw rethrown(toUserError(error, { jobId }));
	}
}

/** Whether the service has read the request and refused it. */
function isRefusal(error: unknown): boolean {
	return error instanceof ServiceError && !error.isTransient && error.isDefinitelyNotProcessed;
}

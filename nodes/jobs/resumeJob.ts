import { untilAborted } from '../async/abortSignals';
import { rethrown } from '../async/retry';
import { messageOf, ServiceError } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import type { JobContext } from './JobContext';
import { pauseWhenWaitEndsEarly } from './waitOutcome';

/**
 * Resumes a job that an earlier run of the node has paused; if that is unclear, the job's status decides.
 * Throws a `UserError` if the job may still be paused. Before that, it is paused once more if its policy
 * says so, and a retry resumes it.
 */
export async function resumeIfPaused(context: JobContext): Promise<void> {
	const { client, entry, execution, logger, signal } = context;
	// The pause of an earlier run may still be in flight.
	await untilAborted(entry.request, signal);
	const { jobId } = entry.facts;
	if (jobId === undefined || signal.aborted) return;
	try {
		const isUnclear = entry.state === 'pauseFailed' || entry.state === 'resumeUnclear';
		if (isUnclear) {
			// A read that waits for its permit is too slow to notice a Stop.
			const read = client.getJob(jobId, { execution, signal, retry: true });
			const job = await untilAborted(read, signal);
			if (job !== undefined) entry.recordSeen(job);
		}
		if (entry.state !== 'paused' || signal.aborted) return;
		entry.record('resumeSent');
		await client.resumeJob(jobId, { signal });
		entry.record('resumeDone');
	} catch (error) {
		if (entry.state !== 'resuming') throw rethrown(toUserError(error, { jobId }));
		if (isRejection(error)) {
			// Somebody else may have resumed it: the next poll tells.
			logger.warn(`Browser Agent could not resume job ${jobId}: ${messageOf(error)}`);
			entry.record('resumeDone');
			return;
		}
		const isCertain = error instanceof ServiceError && error.isDefinitelyNotProcessed;
		entry.record(isCertain ? 'resumeRejected' : 'resumeLost');
		if (!isCertain && !signal.aborted) await pauseWhenWaitEndsEarly(context);
		throw rethrown(toUserError(error, { jobId }));
	}
}

/** Whether the service has read the request and refused it. */
function isRejection(error: unknown): boolean {
	return error instanceof ServiceError && !error.isTransient && error.kind !== 'aborted';
}

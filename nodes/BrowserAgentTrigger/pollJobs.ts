import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { ServiceError } from '../errors/ServiceError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

const MAX_CONCURRENT_POLLS = 5;
// Waiting longer for the rate limit would hold back what is known already; the next poll continues.
// Long enough for concurrent polls to take their turns when the limiter spaces calls after a 429.
const MAX_QUEUE_MS = 10_000;

/** What a poll of a job has brought. Undefined as a job: the service does not know it. */
export type PollResult =
	| { jobId: string; job: Job | undefined }
	| { jobId: string; error: unknown };

export interface PollResults {
	results: PollResult[];
	/** The first job that there was no time or no free call for; unset: all were polled. */
	firstLeft?: string;
	/** Whether there was no time to poll some of them. */
	isOutOfTime: boolean;
}

/**
 * Polls the jobs in their order, a few at a time, until `deadline` or until the account has no status
 * calls left. An error of one job does not keep the others from being polled.
 */
export async function pollJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, deadline }: { clock: Clock; deadline: number },
): Promise<PollResults> {
	const results = new Map<string, PollResult>();
	let isOver = false;

	await limitConcurrency(jobIds, MAX_CONCURRENT_POLLS, async (jobId) => {
		if (isOver || clock.now() >= deadline) return;
		try {
			const job = await client.getJob(jobId, { isPoll: true, deadline, maxQueueMs: MAX_QUEUE_MS });
			results.set(jobId, { jobId, job });
		} catch (error) {
			const kind = error instanceof ServiceError ? error.kind : undefined;
			// Polling the others would only use up what the service has just asked to save.
			isOver ||= kind === 'queueTimeout' || kind === 'rateLimited' || kind === 'unauthorized';
			if (kind === 'queueTimeout') return;
			if (kind !== 'notFound') results.set(jobId, { jobId, error });
			else if (!client.account.mayBeUnknownYet(jobId))
				results.set(jobId, { jobId, job: undefined });
		}
	});
	return {
		results: jobIds.flatMap((jobId) => results.get(jobId) ?? []),
		firstLeft: jobIds.find((jobId, index) => !wasPolled(results.get(jobId), index)),
		isOutOfTime: !isOver && results.size < jobIds.length,
	};
}

function wasPolled(result: PollResult | undefined, index: number): boolean {
	const error = result !== undefined && 'error' in result ? result.error : undefined;
	const kind = error instanceof ServiceError ? error.kind : undefined;
	// Only the first calls had all the time of a call.
	const isCut = kind === 'timeout' && index >= MAX_CONCURRENT_POLLS;
	return result !== undefined && kind !== 'rateLimited' && !isCut;
}

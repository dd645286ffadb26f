import { mayBeUnknownYet } from '../service/recentStarts';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { ServiceError } from '../errors/ServiceError';
import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';

const JOBS_AT_ONCE = 5;
// Waiting for the rate budget would only hold back what is already known; the next poll goes on.
const LONGEST_QUEUE_MS = 2_000;

/** What a look at a job has brought. `undefined` as a job: the service does not know it. */
export type Look = { jobId: string; job: Job | undefined } | { jobId: string; error: unknown };

export interface LookResult {
	looks: Look[];
	/** The first job there was no time or no budget for; unset: all have been looked at. */
	firstLeft?: string;
}

/**
 * Looks at the jobs in their order, a few at a time, until `deadline` or until the account's rate
 * budget is used up. One job's fault does not keep the others from being looked at.
 */
export async function lookAtJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, deadline }: { clock: Clock; deadline: number },
): Promise<LookResult> {
	const looks = new Map<string, Look>();
	let isOver = false;

	await limitConcurrency(jobIds.length, JOBS_AT_ONCE, async (index) => {
		const jobId = jobIds[index] ?? '';
		const now = clock.now();
		if (isOver || now >= deadline) return;
		try {
			const job = await client.getJob(jobId, {
				priority: 'background',
				deadline: Math.min(deadline, now + LONGEST_QUEUE_MS),
			});
			looks.set(jobId, { jobId, job });
		} catch (error) {
			const kind = error instanceof ServiceError ? error.kind : undefined;
			if (kind === 'queueTimeout') isOver = true;
			else if (kind !== 'notFound') looks.set(jobId, { jobId, error });
			else if (!mayBeUnknownYet(jobId, clock.now())) looks.set(jobId, { jobId, job: undefined });
			// Asking for the others would only use up what the service has just asked to save.
			if (kind === 'rateLimited' || kind === 'unauthorized') isOver = true;
		}
	});
	return {
		looks: jobIds.flatMap((jobId) => looks.get(jobId) ?? []),
		firstLeft: jobIds.find((jobId) => !hadItsTurn(looks.get(jobId))),
	};
}

function hadItsTurn(look: Look | undefined): boolean {
	const fault = look !== undefined && 'error' in look ? look.error : undefined;
	const metLimit = fault instanceof ServiceError && fault.kind === 'rateLimited';
	return look !== undefined && !metLimit;
}

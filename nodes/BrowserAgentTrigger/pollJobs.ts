import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { kindOf } from '../errors/ServiceError';
import { withoutContent } from '../jobs/status';
import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

const MAX_CONCURRENT_POLLS = 5;
// Long enough for concurrent polls to get their permits while the limiter spaces calls after a 429. A longer
// wait would delay the events found so far; the next poll continues.
const MAX_QUEUE_MS = 10_000;

/** What a poll has shown of a job. */
export interface PolledJob {
	jobId: string;
	/** Unset: the job is running, or its status could not be checked. */
	event?: TriggerEvent;
	/** Unset: the service does not know the job, or its status could not be checked. */
	job?: Job;
	error?: unknown;
}

/** What bounds a poll of the trigger. */
export interface PollLimits {
	clock: Clock;
	deadline: number;
	/** Names the trigger node for its fair share of the rate limit. */
	trigger: string;
	/** Whether the output of such a job is needed. */
	isWanted(jobId: string, event: TriggerEvent | undefined): boolean;
}

/**
 * Polls the jobs in their order, until `deadline` or until the account has no status calls left. `firstLeft` is
 * the first job that there was no time or no call for; `isOutOfTime`: there was no time for some.
 */
export async function pollJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, deadline, trigger, isWanted }: PollLimits,
): Promise<{ polled: PolledJob[]; firstLeft?: string; isOutOfTime: boolean }> {
	let isOver = false;

	const poll = async (jobId: string): Promise<PolledJob | undefined> => {
		if (isOver || clock.now() >= deadline) return undefined;
		try {
			const options = { execution: trigger, deadline, maxQueueMs: MAX_QUEUE_MS };
			const job = await client.getJob(jobId, options);
			const event = TRIGGER_EVENTS.find((one) => one === job.status);
			return { jobId, event, job: isWanted(jobId, event) ? job : withoutContent(job) };
		} catch (error) {
			const kind = kindOf(error);
			// Polling the others would only use up what the service has just asked to save.
			isOver ||= kind === 'queueTimeout' || kind === 'rateLimited' || kind === 'unauthorized';
			if (kind === 'queueTimeout') return undefined;
			if (kind !== 'notFound') return { jobId, error };
			if (client.account.mayBeUnknownYet(jobId)) return undefined;
			return { jobId, event: 'not_found' };
		}
	};
	const polls = await limitConcurrency(jobIds, MAX_CONCURRENT_POLLS, poll);
	const polled = polls.filter((result) => result !== undefined);
	return {
		polled,
		firstLeft: jobIds.find((_jobId, index) => !wasPolled(polls[index], index)),
		isOutOfTime: !isOver && polled.length < jobIds.length,
	};
}

function wasPolled(result: PolledJob | undefined, index: number): boolean {
	const kind = kindOf(result?.error);
	if (result === undefined || kind === 'rateLimited') return false;
	// Only the first calls had all the time of a call.
	return kind !== 'timeout' || index < MAX_CONCURRENT_POLLS;
}

import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { kindOf } from '../errors/ServiceError';
import { withoutContent } from '../jobs/status';
import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

const MAX_CONCURRENT_POLLS = 5;
// Long enough for concurrent polls to get their permits while the limiter spaces calls after a 429.
// A longer wait would delay the events found so far; the next poll continues.
const MAX_QUEUE_MS = 10_000;
// A call that began later than this has had less time than the poll could give it.
const FIRST_CALLS_MS = 1_000;

/** What a poll of the trigger has brought for one job. */
export type PolledJob = { jobId: string } & (
	| { kind: 'seen'; job: Job }
	/** The service does not know it. */
	| { kind: 'notFound' }
	/** The service does not know it yet, since it was started only seconds ago. */
	| { kind: 'unknownYet' }
	/** The poll has ended before the job's turn, or before its response. */
	| { kind: 'noTime' }
	/** No call was made: the rate limit is used up, or the key was rejected for another job. */
	| { kind: 'noCall' }
	| { kind: 'failed'; error: unknown }
);

/** The limits of a poll of the trigger. */
export interface PollLimits {
	clock: Clock;
	/** The clock's time at which the poll has to be over. */
	deadline: number;
	/** Names the trigger node for its fair share of the rate limit. */
	trigger: string;
	/** Whether the output of such a job is needed; otherwise it is not kept. */
	isWanted(jobId: string, event: TriggerEvent | undefined): boolean;
}

/**
 * Polls the jobs in their order, until the deadline or until the account has no status calls left.
 * Returns what it has brought for each. Never throws.
 */
export async function pollJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, deadline, trigger, isWanted }: PollLimits,
): Promise<PolledJob[]> {
	const began = clock.now();
	let hasCalls = true;

	const poll = async (jobId: string): Promise<PolledJob> => {
		const startedAt = clock.now();
		if (!hasCalls) return { jobId, kind: 'noCall' };
		if (startedAt >= deadline) return { jobId, kind: 'noTime' };
		try {
			const options = { execution: trigger, deadline, maxQueueMs: MAX_QUEUE_MS };
			const job = await client.getJob(jobId, options);
			const isNeeded = isWanted(jobId, eventOfStatus(job));
			return { jobId, kind: 'seen', job: isNeeded ? job : withoutContent(job) };
		} catch (error) {
			switch (kindOf(error)) {
				case 'notFound': {
					const isNew = client.account.mayBeUnknownYet(jobId);
					return { jobId, kind: isNew ? 'unknownYet' : 'notFound' };
				}
				case 'queueTimeout':
					hasCalls = false;
					return { jobId, kind: 'noCall' };
				case 'rateLimited':
				case 'unauthorized':
					// Polling the others would only use up what the service has just asked to save.
					hasCalls = false;
					break;
				case 'timeout':
					if (startedAt - began > FIRST_CALLS_MS) return { jobId, kind: 'noTime' };
			}
			return { jobId, kind: 'failed', error };
		}
	};
	return await limitConcurrency(jobIds, MAX_CONCURRENT_POLLS, poll);
}

/** What the trigger can emit about a job; undefined while it runs, or if nothing is known. */
export function eventOf(polled: PolledJob): TriggerEvent | undefined {
	if (polled.kind === 'notFound') return 'not_found';
	return polled.kind === 'seen' ? eventOfStatus(polled.job) : undefined;
}

/**
 * Whether the next poll should begin with the job: it was not polled, or the service has put the
 * call off.
 */
export function isLeft(polled: PolledJob): boolean {
	if (polled.kind === 'failed') return kindOf(polled.error) === 'rateLimited';
	return polled.kind === 'noTime' || polled.kind === 'noCall';
}

function eventOfStatus({ status }: Job): TriggerEvent | undefined {
	return TRIGGER_EVENTS.find((event) => event === status);
}

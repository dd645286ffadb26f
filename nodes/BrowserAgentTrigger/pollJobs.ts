import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { kindOf } from '../errors/ServiceError';
import { withoutContent } from '../jobs/status';
import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

const MAX_CONCURRENT_POLLS = 5;
// Long enough for concurrent polls to get their permits while the limiter spaces calls after a 429.
// A longer wait would delay the events found so far; the trigger's next poll continues.
const MAX_QUEUE_MS = 10_000;
// Calls that begin this early have nearly the trigger's whole time, so a timeout is the service's
// failure. A later call may time out only because the trigger's time is up.
const EARLY_CALLS_MS = 1_000;

/** What a poll of the trigger showed about one job. */
export type PolledJob = { jobId: string } & (
	| { kind: 'seen'; job: Job }
	/** The service does not know the job. */
	| { kind: 'notFound' }
	/** The service does not know the job yet, which was started only seconds ago. */
	| { kind: 'unknownYet' }
	/** The trigger's time was up before the job's turn, or before the response. */
	| { kind: 'noTime' }
	/** No call was made: the rate limit is used up, or the key was rejected for another job. */
	| { kind: 'noCall' }
	| { kind: 'failed'; error: unknown }
);

/** What limits a poll of the trigger. */
export interface PollLimits {
	clock: Clock;
	/** When the poll of the trigger must be over: a timestamp in ms. */
	deadline: number;
	/** Identifies the trigger node for fair queueing. */
	trigger: string;
	/** Whether the job's output is needed; otherwise it is not kept. */
	isWanted(jobId: string, event: TriggerEvent | undefined): boolean;
}

/**
 * Polls the jobs in their order, a few at a time, until the deadline or until the account has no
 * status calls left. Returns a result for each job, in the same order. Never rejects.
 */
export async function pollJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, deadline, trigger, isWanted }: PollLimits,
): Promise<PolledJob[]> {
	const firstCallAt = clock.now();
	let hasCapacity = true;

	const poll = async (jobId: string): Promise<PolledJob> => {
		const calledAt = clock.now();
		if (!hasCapacity) return { jobId, kind: 'noCall' };
		if (calledAt >= deadline) return { jobId, kind: 'noTime' };
		try {
			const options = { group: trigger, deadline, maxQueueMs: MAX_QUEUE_MS };
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
					hasCapacity = false;
					return { jobId, kind: 'noCall' };
				case 'rateLimited':
				case 'unauthorized':
					// The service has just refused such a call, and would refuse the others, too.
					hasCapacity = false;
					break;
				case 'timeout':
					if (calledAt - firstCallAt > EARLY_CALLS_MS) return { jobId, kind: 'noTime' };
			}
			return { jobId, kind: 'failed', error };
		}
	};
	return await limitConcurrency(jobIds, MAX_CONCURRENT_POLLS, poll);
}

/** Returns the event that a job's status stands for; undefined if it has none or is not known. */
export function eventOf(polled: PolledJob): TriggerEvent | undefined {
	if (polled.kind === 'notFound') return 'not_found';
	return polled.kind === 'seen' ? eventOfStatus(polled.job) : undefined;
}

/**
 * Whether the job is left for the trigger's next poll, which should begin with it: it was not
 * polled, or the service responded with a 429.
 */
export function isLeftForNextPoll(polled: PolledJob): boolean {
	if (polled.kind === 'failed') return kindOf(polled.error) === 'rateLimited';
	return polled.kind === 'noTime' || polled.kind === 'noCall';
}

function eventOfStatus({ status }: Job): TriggerEvent | undefined {
	return TRIGGER_EVENTS.find((event) => event === status);
}

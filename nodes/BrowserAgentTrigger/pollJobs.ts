import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { limitConcurrency } from '../async/limitConcurrency';
import { factsOf, kindOf } from '../errors/ServiceError';
import { hasFinalStatus, isCompletedWithoutOutput, withoutContent } from '../jobs/status';
import { OUTPUT_DELAY_MS } from '../jobs/waitForEnd';
import { TRIGGER_EVENTS, type TriggerEvent } from '../parameters/triggerOn';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';

const MAX_CONCURRENT_CHECKS = 5;
// Long enough for concurrent checks to get their turns while the limiter spaces calls after a 429.
// A longer wait would delay the events found so far. The trigger's next poll continues.
const MAX_QUEUE_MS = 10_000;
// A check that begins this early has nearly all the time that the poll has for checks, so a timeout
// is the service's failure. A later one may time out only because the poll's time is up.
const EARLY_CALLS_MS = 1_000;

/** What a poll of the trigger showed about one job. */
export type PolledJob = { jobId: string } & (
	| { kind: 'seen'; job: Job; event: TriggerEvent | undefined }
	/** The service does not know the job. If it says so only once, a server of it may lag behind. */
	| { kind: 'notFound' }
	/** The poll's time was up before the check began, or before the response. */
	| { kind: 'noTime' }
	/** No call was made: the rate limit is used up, or the key was rejected for another job. */
	| { kind: 'noCall' }
	| { kind: 'failed'; error: unknown }
);

/** Options of `pollJobs`. */
export interface PollOptions {
	clock: Clock;
	/** When the poll of the trigger must be over, in ms, from `Clock.elapsed()`. */
	endBy: number;
	/** Identifies the trigger node for fair queueing. */
	trigger: string;
	/** Whether the job's output is needed; otherwise it is not kept. */
	isWanted(jobId: string, event: TriggerEvent | undefined): boolean;
}

/**
 * Checks the status of the jobs in their order, a few at a time, until `endBy`, or until the
 * account has no status calls left or its key is rejected. Returns a result for each job, in the
 * same order. Never rejects.
 *
 * Jobs that are wanted and completed, but have no output, are all read once more together, since
 * the output may come a moment later. One that can't be read again is returned as it was.
 */
export async function pollJobs(
	client: ServiceClient,
	jobIds: string[],
	{ clock, endBy, trigger, isWanted }: PollOptions,
): Promise<PolledJob[]> {
	const firstCallAt = clock.elapsed();
	let hasCapacity = true;

	const check = async (jobId: string): Promise<PolledJob> => {
		const calledAt = clock.elapsed();
		if (!hasCapacity) return { jobId, kind: 'noCall' };
		if (calledAt >= endBy) return { jobId, kind: 'noTime' };
		try {
			const options = { group: trigger, endBy, maxQueueMs: MAX_QUEUE_MS };
			const job = await client.getJob(jobId, options);
			const event = eventOfStatus(job);
			const isNeeded = isWanted(jobId, event);
			return { jobId, kind: 'seen', event, job: isNeeded ? job : withoutContent(job) };
		} catch (error) {
			const { isFromService } = factsOf(error);
			switch (kindOf(error)) {
				case 'notFound':
					// Anything in front of the service may respond with a 404, too.
					if (isFromService !== true) break;
					return { jobId, kind: 'notFound' };
				case 'queueTimeout':
					hasCapacity = false;
					return { jobId, kind: 'noCall' };
				case 'rateLimited':
					// The other calls would be rate limited, too.
					hasCapacity = false;
					break;
				case 'unauthorized':
					if (isFromService === true) hasCapacity = false;
					break;
				case 'timeout':
					if (calledAt - firstCallAt <= EARLY_CALLS_MS || clock.elapsed() < endBy) break;
					return { jobId, kind: 'noTime' };
			}
			return { jobId, kind: 'failed', error };
		}
	};
	const polled = await limitConcurrency(jobIds, MAX_CONCURRENT_CHECKS, check);

	const lacksOutput = (one: PolledJob) =>
		one.kind === 'seen' && isWanted(one.jobId, one.event) && isCompletedWithoutOutput(one.job);
	const isTimeLeft = clock.elapsed() + OUTPUT_DELAY_MS < endBy;
	if (!polled.some(lacksOutput) || !hasCapacity || !isTimeLeft) return polled;

	await clock.sleep(OUTPUT_DELAY_MS);
	return await limitConcurrency(polled, MAX_CONCURRENT_CHECKS, async (before) => {
		if (!lacksOutput(before)) return before;
		const again = await check(before.jobId);
		return again.kind === 'seen' ? again : before;
	});
}

/**
 * Returns the job with which the trigger's next poll should begin: the first one that was not
 * checked or, if all were, one whose check was rate limited. A single job that is rate limited at
 * each poll must not keep those behind it from being checked.
 */
export function firstForNextPoll(polled: PolledJob[]): PolledJob | undefined {
	const isLeft = ({ kind }: PolledJob) => kind === 'noTime' || kind === 'noCall';
	const isRateLimited = (one: PolledJob) =>
		one.kind === 'failed' && kindOf(one.error) === 'rateLimited';
	return polled.find(isLeft) ?? polled.find(isRateLimited);
}

function eventOfStatus(job: Job): TriggerEvent | undefined {
	const event = TRIGGER_EVENTS.find((one) => one === job.status);
	// An unknown status with an error is a failure.
	return event ?? (hasFinalStatus(job) ? 'failed' : undefined);
}

/** The time that n8n's default engine allows for a poll. Its durable engine allows about 36 s. */
export const DEFAULT_BUDGET_MS = 5 * 60_000;
// The rest is left for calls that end a little late, and for n8n itself.
const USED_SHARE = 0.8;

/** Returns when a poll that begins now must be over, in ms, from `Clock.elapsed()`. */
export function pollEnd(context: IPollFunctions, clock: Clock): number {
	return clock.elapsed() + pollBudgetMs(context) * USED_SHARE;
}

/** Returns how long a poll may take, in ms. */
export function pollBudgetMs(context: IPollFunctions): number {
	// Older versions of n8n have no such method.
	const ask = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs;
	return ask?.call(context) ?? DEFAULT_BUDGET_MS;
}

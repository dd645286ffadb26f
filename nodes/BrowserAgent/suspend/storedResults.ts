import type { Clock } from '../../async/clock';
import type { JobWait } from '../../jobs/waitForJob';
import type { FinishOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { ItemResult, StoredResult } from '../types';
import { toDate, toTime } from './dates';
import type { StoredWait } from './state';

/** The results of the items of a run, as they are stored. */
export function toStoredResults(results: ItemResult[], clock: Clock): StoredResult[] {
	return results.map(({ itemIndex, outcome }): StoredResult => {
		if ('error' in outcome) {
			const { message, details } = outcome.error;
			return { itemIndex, outcome: { failed: { message, details } } };
		}
		if (!('suspended' in outcome)) return { itemIndex, outcome };
		const { wait, options } = outcome.suspended;
		const { jobId, waitBegan, deadline } = wait;
		const dates = {
			waitBeganDate: toDate(waitBegan, clock),
			deadlineDate: toDate(deadline, clock),
		};
		return { itemIndex, outcome: { wait: { jobId, ...dates, options } } };
	});
}

/** The wait, by this process's clock. */
export function toJobWait(
	stored: StoredWait,
	startedAt: number | undefined,
	clock: Clock,
): JobWait {
	const { jobId, waitBeganDate, deadlineDate, options } = stored;
	return {
		jobId,
		startedAt,
		waitBegan: toTime(waitBeganDate, clock),
		deadline: toTime(deadlineDate, clock),
		options: options.wait,
	};
}

/** A job as it may be stored: with the address of its browser only if the item is to have it. */
export function toStoredJob(job: Job, { simplify, returnCdpUrl }: FinishOptions): Job {
	if (!simplify) return job;
	return { ...job, body: {}, cdp_url: returnCdpUrl === true ? job.cdp_url : undefined };
}

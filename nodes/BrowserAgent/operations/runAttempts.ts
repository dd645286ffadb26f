import { requireCredits } from '../../jobs/requireCredits';
import { previousJobs } from '../../jobs/previousJobs';
import { startJob, type JobStart } from '../../jobs/startJob';
import type { WaitResult } from '../../jobs/waitForJob';
import type { StartedJob } from '../../service/types';
import type { FinishOptions, ItemResult, ItemRun } from '../run';
import { beginWait, toResult, waitToEnd } from './finishJob';

/** What to start, how often, and how to wait for it. */
export interface Attempts {
	start: JobStart;
	/** How many jobs an item has at most. */
	maxAttempts: number;
	/** The credits that the account must have for each further job; unset: any. */
	minimumCredits?: number;
	toOptions(started: StartedJob): FinishOptions;
}

/**
 * Starts a job and waits for it; a job that was seen to fail is followed by another one, up to
 * `maxAttempts`. Each has its own line in the ledger, and a further try of the node reads the same lines.
 */
export function runAttempts(attempts: Attempts): (item: ItemRun) => Promise<ItemResult[]> {
	const { start, maxAttempts, minimumCredits, toOptions } = attempts;
	return async (first) => {
		let item = first;
		for (let attempt = 1; ; attempt++) {
			const started = await startJob(item, start);
			const wait = beginWait(item, toOptions(started));
			const result = await waitToEnd(wait);
			if (attempt >= maxAttempts || !hasFailed(result)) {
				return [withPrevious(await toResult(wait, result), first)];
			}
			item.logger.info(
				`Browser Agent: attempt ${attempt} of ${maxAttempts} failed, job ${started.job_id}`,
			);
			item.summary.noteEnd('failed');
			item = toNextAttempt(item, minimumCredits);
		}
	};
}

function toNextAttempt(item: ItemRun, minimumCredits: number | undefined): ItemRun {
	const { client, signal } = item;
	return {
		...item,
		entry: item.entry.nextAttempt(),
		requireCredits: async () =>
			await requireCredits(client, minimumCredits, signal, 'no further job'),
	};
}

// A job that a user has taken over or canceled was ended on purpose; of anything else, the end was not seen.
function hasFailed({ reason, job }: WaitResult): boolean {
	return reason === 'status' && job?.status === 'failed';
}

function withPrevious(result: ItemResult, { entry }: ItemRun): ItemResult {
	const previous_jobs = previousJobs(entry);
	if (previous_jobs.length === 0 || !('json' in result)) return result;
	return { ...result, json: { ...result.json, previous_jobs } };
}

import type { JobSession } from '../../jobs/JobSession';
import { previousJobs } from '../../jobs/previousJobs';
import { startJob, type JobStart } from '../../jobs/startJob';
import type { WaitResult } from '../../jobs/waitForJob';
import type { FinishOptions } from '../../parameters/waiting';
import type { StartedJob } from '../../service/types';
import type { ItemOutcome } from '../types';
import { beginWait, toItem, waitToEnd } from './finishJob';

/** What to start, how often, and how to wait for it. */
export interface Attempts {
	start: JobStart;
	maxAttempts: number;
	toOptions(started: StartedJob): FinishOptions;
}

/**
 * Starts a job and waits for it, and starts another one if it was seen to fail, up to
 * `maxAttempts`.
 */
export async function runAttempts(
	first: JobSession,
	{ start, maxAttempts, toOptions }: Attempts,
): Promise<ItemOutcome[]> {
	let session = first;
	for (let attempt = 1; ; attempt++) {
		const started = await startJob(session, start);
		const options = toOptions(started);
		const wait = beginWait(session, options);
		const result = await waitToEnd(session, wait);
		if (attempt >= maxAttempts || !hasFailed(result)) {
			return [withPrevious(await toItem(session, wait, options, result), first)];
		}
		first.logger.info(
			`Browser Agent: attempt ${attempt} of ${maxAttempts} failed, job ${started.job_id}`,
		);
		session = { ...session, entry: session.entry.nextAttempt() };
	}
}

// A job that a user has taken over or canceled was ended on purpose; of anything else, the end was
// not seen.
function hasFailed({ reason, job }: WaitResult): boolean {
	return reason === 'status' && job?.status === 'failed';
}

function withPrevious(outcome: ItemOutcome, { entry }: JobSession): ItemOutcome {
	const previous_jobs = previousJobs(entry);
	if (previous_jobs.length === 0 || !('json' in outcome)) return outcome;
	return { ...outcome, json: { ...outcome.json, previous_jobs } };
}

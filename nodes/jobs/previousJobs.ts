import { addToError, UserError, type PreviousJob } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { LedgerEntry } from './JobLedger';
import { failureReason } from './waitOutcome';

/** The jobs of an item that have failed before its latest attempt, the oldest first. */
export function previousJobs({ attempts }: LedgerEntry): PreviousJob[] {
	return attempts
		.slice(0, -1)
		.flatMap(({ client, job }) => (client && job ? toPreviousJob(client, job) : []));
}

/** An item's error that names the jobs of its earlier attempts as well. */
export function withPreviousJobs(error: UserError, entry: LedgerEntry): UserError {
	const previous_jobs = previousJobs(entry);
	if (previous_jobs.length === 0) return error;
	const jobIds = previous_jobs.map(({ job_id }) => job_id);
	const { message, details } = addToError(error, `Failed before: ${jobIds.join(', ')}.`, jobIds);
	return new UserError(message, { ...details, job: { ...details.job, previous_jobs } });
}

function toPreviousJob(client: ServiceClient, job: Job): PreviousJob {
	const reason = failureReason(client, job);
	const { job_id, credits_used } = job;
	return {
		job_id,
		...(reason === '' ? {} : { job_error: reason }),
		...(credits_used === undefined ? {} : { credits_used }),
	};
}

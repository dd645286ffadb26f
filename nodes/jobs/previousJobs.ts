import type { PreviousJob } from '../errors/JobDetails';
import { addToError, type UserError } from '../errors/UserError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { failureReason } from './failureReason';
import type { LedgerEntry } from './LedgerEntry';

/** The jobs of an item that have failed before its latest attempt, the oldest first. */
export function previousJobs({ attempts }: LedgerEntry): PreviousJob[] {
	return attempts.slice(0, -1).flatMap(({ owner, known: { job } }) => {
		return owner !== undefined && job !== undefined ? toPreviousJob(owner.client, job) : [];
	});
}

/** An item's error with what the ledger knows of its jobs. */
export function withJobDetails(error: UserError, entry: LedgerEntry): UserError {
	const job = error.details.job ?? entry.attempts.at(-1)?.details;
	const previous_jobs = previousJobs(entry);
	if (previous_jobs.length === 0) return error.with({ job });
	const jobIds = previous_jobs.map(({ job_id }) => job_id);
	const extended = addToError(
		error,
		`Earlier failed jobs of this item: ${jobIds.join(', ')}.`,
		jobIds,
	);
	return extended.with({ job: { ...job, previous_jobs } });
}

function toPreviousJob(client: ServiceClient, job: Job): PreviousJob {
	const reason = failureReason(client, job);
	const { job_id, credits_used } = job;
	return { job_id, job_error: reason === '' ? undefined : reason, credits_used };
}

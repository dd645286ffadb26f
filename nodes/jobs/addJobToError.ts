import { addToError, type UserError } from '../errors/UserError';
import type { LedgerEntry } from './LedgerEntry';

/** Adds what the ledger knows of the item's job, and the jobs of failed attempts, to its error. */
export function addJobToError(error: UserError, entry: LedgerEntry): UserError {
	const job = error.details.job ?? entry.latestAttempt.details;
	const { previousJobs: previous_jobs } = entry;
	if (previous_jobs.length === 0) return error.with({ job });

	const jobIds = previous_jobs.map(({ job_id }) => job_id);
	const extended = addToError(
		error,
		`Earlier failed jobs of this item: ${jobIds.join(', ')}.`,
		jobIds,
	);
	return extended.with({ job: { ...job, previous_jobs } });
}

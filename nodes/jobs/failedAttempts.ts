import type { PreviousJob } from '../errors/JobDetails';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { failureReason } from './failureReason';
import type { LedgerEntry } from './LedgerEntry';

/** Returns the jobs of an item's failed attempts before its latest one, the oldest first. */
export function failedAttempts({ attempts }: LedgerEntry): PreviousJob[] {
	return attempts.slice(0, -1).flatMap(({ owner, known: { job } }) => {
		return owner !== undefined && job !== undefined ? toPreviousJob(owner.client, job) : [];
	});
}

function toPreviousJob(client: ServiceClient, job: Job): PreviousJob {
	const { job_id, credits_used } = job;
	return { job_id, job_error: failureReason(client, job), credits_used };
}

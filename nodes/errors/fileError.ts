import { describeServiceError } from './describeServiceError';
import { UserError } from './UserError';
import { ServiceError } from './ServiceError';

/** Why a file of a job could not be had, in words that name both. */
export function toFileError(error: unknown, jobId: string, filename: string): UserError {
	if (error instanceof ServiceError) return describeServiceError(error, { jobId, filename });
	const message = error instanceof Error ? error.message : String(error);
	return new UserError(`File '${filename}' of job ${jobId}: ${message}`, { jobIds: [jobId] });
}

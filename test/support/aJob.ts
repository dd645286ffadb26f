import type { Job } from '../../nodes/service/types';

/** A job as the client returns it: running, by default. */
export function aJob(fields: Partial<Job> = {}): Job {
	return { job_id: 'job_1', status: 'running', body: {}, ...fields };
}

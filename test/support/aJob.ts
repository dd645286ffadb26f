import type { Job } from '../../nodes/service/types';

/** A job as the client returns it: running, unless told otherwise. */
export function aJob(fields: Partial<Job> = {}): Job {
	return { job_id: 'job_1', status: 'running', body: {}, ...fields };
}

/** Asks for a job that shows one status after the other; the last one stays. */
export function jobThatGoes(...statuses: [string, ...string[]]): () => Promise<Job> {
	const left = [...statuses];
	return async () => aJob({ status: left.length > 1 ? left.shift() : left[0] });
}

import { jobNotFound } from './errorReplies';
import { findJob } from './findJob';
import type { Operation } from './operation';

/** Lists no files until the job has finished. Answers 404 for an unknown job. */
export const getJobFiles: Operation = (input) => {
	const job = findJob(input);
	if (!job) return jobNotFound;
	const { state, now, filesUrl } = input;
	const files = job.isFinished(now) ? state.fileLinks.listFiles(job, filesUrl, now) : [];
	return { status: 200, json: { job_id: job.id, file_count: files.length, files } };
};

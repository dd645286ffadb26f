import { onJob } from './onJob';

/** Lists no files until the job has finished. */
export const getJobFiles = onJob((job, { state, now, filesUrl }) => {
	const files = job.isFinished(now) ? state.fileLinks.listFiles(job, filesUrl, now) : [];
	return { status: 200, json: { job_id: job.id, file_count: files.length, files } };
});

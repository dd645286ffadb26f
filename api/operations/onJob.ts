import type { Job } from '../backend';
import { type Reply, errorReply } from '../reply';
import type { Operation, OperationInput } from './operation';

/** An operation on the job in the path. Answers 404 if the account has no such job. */
export function onJob(run: (job: Job, input: OperationInput) => Reply): Operation {
	return (input) => {
		const job = input.backend.findJob(input.id);
		if (job?.account !== input.account) return errorReply(404, 'Job not found');
		return run(job, input);
	};
}

/** Answers 400 if the job is not running. */
export const pauseJob = onJob((job, { now }) => {
	if (!job.pause(now)) return errorReply(400, 'Only a running job can be paused');
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is paused` } };
});

/** Answers 400 if the job is neither paused nor taken over. */
export const resumeJob = onJob((job, { now }) => {
	if (!job.resume(now)) return errorReply(400, 'Only a paused job can be resumed');
	const data = { job_id: job.id, status: job.status(now) };
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is resumed`, data } };
});

/** Lists no files until the job has finished. */
export const getJobFiles = onJob((job, { backend, now, filesUrl }) => {
	const files = backend.fileLinks.listFiles(job.id, job.files(now), filesUrl, now);
	return { status: 200, json: { job_id: job.id, file_count: files.length, files } };
});

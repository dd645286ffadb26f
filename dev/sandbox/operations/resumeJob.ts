import { errorReply } from '../reply';
import { jobNotFound } from './errorReplies';
import { findJob } from './findJob';
import type { Operation } from './operation';

/** Answers 404 for an unknown job and 400 for one that is not paused. */
export const resumeJob: Operation = (input) => {
	const job = findJob(input);
	if (!job) return jobNotFound;
	if (!job.resume(input.now)) return errorReply(400, 'Only a paused job can be resumed');
	input.state.metrics.counters.resumes++;
	const data = { job_id: job.id, status: job.status(input.now) };
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is resumed`, data } };
};

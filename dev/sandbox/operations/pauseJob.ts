import { errorReply } from '../reply';
import { jobNotFound } from './errorReplies';
import { findJob } from './findJob';
import type { Operation } from './operation';

/** Answers 404 for an unknown job and 400 for one that is not running. */
export const pauseJob: Operation = (input) => {
	const job = findJob(input);
	if (!job) return jobNotFound;
	if (!job.pause(input.now)) return errorReply(400, 'Only a running job can be paused');
	input.state.metrics.counters.pauses++;
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is paused` } };
};

import { errorReply } from '../reply';
import { onJob } from './onJob';

/** Answers 400 if the job is neither paused nor taken over. */
export const resumeJob = onJob((job, { now }) => {
	if (!job.resume(now)) return errorReply(400, 'Only a paused job can be resumed');
	const data = { job_id: job.id, status: job.status(now) };
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is resumed`, data } };
});

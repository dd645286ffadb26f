import { errorReply } from '../reply';
import { onJob } from './onJob';

/** Answers 400 if the job is not running. */
export const pauseJob = onJob((job, { now }) => {
	if (!job.pause(now)) return errorReply(400, 'Only a running job can be paused');
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is paused` } };
});

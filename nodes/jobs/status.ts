import type { Job } from '../service/types';

const FINISHED = ['completed', 'failed', 'user_taken_over', 'canceled'];
// A user who has taken over may hand the browser back.
const FINAL = ['completed', 'failed', 'canceled'];

type WithStatus = Pick<Job, 'status'>;

/** Whether the job has ended. A job with an unknown status is still running. */
export function isFinished({ status }: WithStatus): boolean {
	return FINISHED.includes(status);
}

/** Whether the job has ended and its status can't change any more. */
export function isFinal({ status }: WithStatus): boolean {
	return FINAL.includes(status);
}

export function isSuccessful({ status }: WithStatus): boolean {
	return status === 'completed';
}

/** Whether a user has taken over the job's browser. */
export function isTakenOver({ status }: WithStatus): boolean {
	return status === 'user_taken_over';
}

/** Whether the job does not run yet, so that the service can't pause it. */
export function isProvisioning({ status }: WithStatus): boolean {
	return status === 'provisioning';
}

export function isPaused({ status }: WithStatus): boolean {
	return status === 'paused';
}

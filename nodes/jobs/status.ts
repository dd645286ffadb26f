import type { Job, StartedJob } from '../service/types';

const FINAL = ['completed', 'failed', 'canceled'];
const TAKEN_OVER = 'user_taken_over';

type WithStatus = Pick<Job, 'status'>;

/** Whether the job has ended. A job with an unknown status is still running. */
export function isFinished(job: WithStatus): boolean {
	return hasEnded(job) || isTakenOver(job);
}

/**
 * Whether the status is final. After a takeover, the user may hand the browser back to the agent.
 */
export function hasEnded({ status }: WithStatus): boolean {
	return FINAL.includes(status);
}

export function isSuccessful({ status }: WithStatus): boolean {
	return status === 'completed';
}

/** Whether a user has taken over the job's browser. */
export function isTakenOver({ status }: WithStatus): boolean {
	return status === TAKEN_OVER;
}

// The service can't pause it yet.
export function isProvisioning({ status }: WithStatus): boolean {
	return status === 'provisioning';
}

export function isPaused({ status }: WithStatus): boolean {
	return status === 'paused';
}

/**
 * The status of a job by the response to its start; undefined if that has none. A saved workflow's
 * start is answered with `success`, which is the status of the request.
 */
export function statusAtStart(started: StartedJob | undefined): string | undefined {
	return started?.status === 'success' ? undefined : started?.status;
}

/** The job without its output, error and body: many jobs may run, each with megabytes of them. */
export function withoutContent(job: Job): Job {
	return { ...job, output: undefined, error: undefined, body: {} };
}

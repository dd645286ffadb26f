import type { Redactor } from '../service/redact';
import type { Job, StartedJob } from '../service/types';

const FINAL = ['completed', 'failed', 'canceled'];
const TAKEN_OVER = 'user_taken_over';

type WithStatus = Pick<Job, 'status'>;

/**
 * Whether the agent no longer works on the job: it has ended, or a user has taken over its browser.
 * A job with an unknown status counts as running.
 */
export function isFinished(job: WithStatus): boolean {
	return hasFinalStatus(job) || isTakenOver(job);
}

/** Whether the status is final. A takeover is not: the user may hand the browser back. */
export function hasFinalStatus({ status }: WithStatus): boolean {
	return FINAL.includes(status);
}

/** Whether the agent completed the job. */
export function isSuccessful({ status }: WithStatus): boolean {
	return status === 'completed';
}

/** Whether a user has taken over the job's browser. */
export function isTakenOver({ status }: WithStatus): boolean {
	return status === TAKEN_OVER;
}

/** Whether the job is being provisioned: the service can't pause it yet. */
export function isProvisioning({ status }: WithStatus): boolean {
	return status === 'provisioning';
}

/** Whether the job is paused, by this node or by anybody else. */
export function isPaused({ status }: WithStatus): boolean {
	return status === 'paused';
}

/**
 * The job's status according to the response to its start; undefined if the response has none. The
 * response to a saved workflow's start has `success`, which is the status of the request.
 */
export function statusAtStart(started: StartedJob | undefined): string | undefined {
	return started?.status === 'success' ? undefined : started?.status;
}

/**
 * Returns the job without its output, error and body: many jobs may run at once, each with
 * megabytes of content.
 */
export function withoutContent(job: Job): Job {
	return { ...job, output: undefined, error: undefined, body: {} };
}

/** Returns why a job failed, safe to show; undefined if the service did not say why. */
export function failureReason({ error }: Job, redactor: Redactor): string | undefined {
	const text = typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
	const reason = redactor.toPlainText(text);
	return reason === '' ? undefined : reason;
}

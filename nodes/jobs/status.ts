import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';

const FINAL = ['completed', 'failed', 'canceled'];
const TAKEN_OVER = 'user_taken_over';
const OPEN = ['provisioning', 'running', 'paused', TAKEN_OVER];

type WithStatus = Pick<Job, 'status'>;
type WithError = Pick<Job, 'status' | 'error'>;

/**
 * Whether the agent no longer works on the job: it has ended, or a user has taken over its browser.
 */
export function isFinished(job: WithError): boolean {
	return hasFinalStatus(job) || isTakenOver(job);
}

/**
 * Whether the job has ended. A takeover is no end: the user may hand the browser back. A job with
 * an unknown status counts as running, unless an error comes with it, e.g. `timed_out`: then the
 * job has failed.
 */
export function hasFinalStatus({ status, error }: WithError): boolean {
	if (FINAL.includes(status)) return true;
	return !OPEN.includes(status) && !isBlank(error);
}

/** Whether a status says that the job is at work. With an unknown status it may be so, too. */
export function isAtWork(status: string | undefined): boolean {
	return status === 'running' || status === 'provisioning';
}

/** Whether the job is completed, but its output isn't there, or not yet. */
export function isCompletedWithoutOutput(job: Job): boolean {
	const { output } = job;
	return isSuccessful(job) && (output === undefined || output === '');
}

/** Whether the agent completed the job. */
export function isSuccessful({ status }: WithStatus): boolean {
	return status === 'completed';
}

/** Whether a user has taken over the job's browser. */
export function isTakenOver({ status }: WithStatus): boolean {
	return status === TAKEN_OVER;
}

/** Whether the job is paused, by this node or by anybody else. */
export function isPaused({ status }: WithStatus): boolean {
	return status === 'paused';
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

function isBlank(value: unknown): boolean {
	if (value === undefined || value === null || value === false) return true;
	if (typeof value === 'string') return value.trim() === '';
	return typeof value === 'object' && Object.keys(value).length === 0;
}

const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/;

/**
 * Returns the job's duration in ms, by the service's own timestamps, which are in UTC unless they
 * have an offset. Undefined if they are missing, or if the duration is not positive or exceeds
 * `maxMs`.
 */
export function reportedDurationMs(
	{ created_at, updated_at }: Job,
	maxMs = Infinity,
): number | undefined {
	const durationMs = toTimestamp(updated_at) - toTimestamp(created_at);
	return durationMs > 0 && durationMs <= maxMs ? durationMs : undefined;
}

// JavaScript takes a time without an offset for local time, in which a day may have 23 hours.
function toTimestamp(time = ''): number {
	return Date.parse(WITHOUT_OFFSET.test(time) ? `${time}Z` : time);
}

/**
 * Returns the duration in ms of a job whose end was seen at `seenAt`: as the service reports it or,
 * if that is implausible, the time since `startedAt`. Undefined if only that is left, and this node
 * didn't start the job. `startedAt` and `seenAt` are timestamps in ms, from `Clock.now()`.
 */
export function jobDurationMs(
	job: Job,
	startedAt: number | undefined,
	seenAt: number,
): number | undefined {
	// A job that was started elsewhere may have been running for any time.
	const observedMs = startedAt === undefined ? undefined : seenAt - startedAt;
	return reportedDurationMs(job, observedMs) ?? observedMs;
}

/** Converts ms to seconds with one decimal place, as items have them. */
export function toSeconds(ms: number): number {
	return Math.round(ms / 100) / 10;
}

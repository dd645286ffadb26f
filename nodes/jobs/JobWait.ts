import type { Job } from '../service/types';
import type { JobSession } from './JobSession';

/** The user's settings for a wait. */
export interface WaitOptions {
	/** How long the wait may last, including time during which the job is paused. */
	maxWaitMs: number;
	/**
	 * `fail` is the option "Same as 'On Job Failure'": the takeover counts as a failure. `wait`:
	 * until the agent continues.
	 */
	onTakenOver: 'fail' | 'return' | 'wait';
	/** Whether to throw an error or to return the job if it is still running at the deadline. */
	onTimeout: 'fail' | 'return';
	/**
	 * Whether to throw an error or to return the job if it failed or was canceled, or if it was taken
	 * over and `onTakenOver` is `fail`.
	 */
	onJobFailure: 'fail' | 'return';
}

/** For which job to wait, and how. Timestamps are in ms, from `Clock.now()`. JSON-serializable. */
export interface JobWait {
	jobId: string;
	/** When this node started the job. If unset, it was started elsewhere. */
	startedAt?: number;
	waitStartedAt: number;
	/** When the wait times out. */
	deadline: number;
	/**
	 * Whether this is a round of a suspended wait: unless the wait is over, it is suspended again
	 * after one poll, or after ten seconds without a permit.
	 */
	isSuspendedRound?: boolean;
	/** Whether the workflow's own timeout set the deadline. */
	isLimitedByWorkflow?: boolean;
	options: WaitOptions;
	/** The refused polls since the last successful one. If unset, there were none. */
	refusals?: Refusals;
}

/** Polls that the service, or something in front of it, refused. JSON-serializable. */
export interface Refusals {
	count: number;
	/** When the first of them was refused: a timestamp in ms, from `Clock.now()`. */
	firstAt: number;
}

/** How a wait ended. */
export type WaitResult =
	/** The job has a status that ends the wait. */
	| { reason: 'status'; job: Job }
	/** The wait timed out. `job`: as last seen; `error`: why the final poll failed, if it did. */
	| { reason: 'deadline'; job?: Job; error?: unknown }
	/** Polls were refused for so long that it is not worth polling again. */
	| { reason: 'error'; error: unknown }
	/** The session's `signal` was aborted: the run ends. */
	| { reason: 'aborted' }
	/** The wait should be suspended: n8n's engine continues it. */
	| { reason: 'suspend' };

/** Begins a wait for the session's job, with its deadline `options.maxWaitMs` from now. */
export function beginWait({ clock, entry }: JobSession, options: WaitOptions): JobWait {
	// The ID is known: the job was started, or specified by the user.
	const { jobId = '', started } = entry.known;
	const waitStartedAt = clock.now();
	const deadline = waitStartedAt + options.maxWaitMs;
	return { jobId, startedAt: started?.startedAt, waitStartedAt, deadline, options };
}

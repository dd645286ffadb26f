import type { Job } from '../service/types';
import type { JobSession } from './JobSession';

/** The user's settings for a wait. JSON-serializable. */
export interface WaitOptions {
	/** How long the wait may last, including time during which the job is paused. */
	maxWaitMs: number;
	/** The cases in which the node returns the job instead of throwing an error. */
	returnInsteadOfFailing: ReturnCase[];
	/** Whether to keep waiting while a user has taken over the job's browser. */
	waitWhileTakenOver: boolean;
}

/** A case in which the node fails unless the user wants the job as an item. */
export type ReturnCase =
	/** The job failed or was canceled. */
	| 'jobFailure'
	/** The job's output doesn't match the example or the JSON Schema. */
	| 'invalidOutput'
	/** A user took over the job's browser. */
	| 'takeover'
	/** The job was not finished at the deadline. */
	| 'timeout';

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

import type { Job } from '../service/types';
import type { JobSession } from './JobSession';

/** What the user wants of a wait, and of the ways in which it can end. */
export interface WaitOptions {
	maxWaitMs: number;
	/** The minimum time between two polls; 0: as short as the job's age allows. */
	pollIntervalMs: number;
	onPaused: 'wait' | 'return';
	/** `fail`: as `onJobFailure` says. */
	onTakenOver: 'fail' | 'return' | 'wait';
	onTimeout: 'fail' | 'return';
	onJobFailure: 'fail' | 'return';
}

/** What is waited for, and how. Times are the clock's, in ms. It can be written as JSON. */
export interface JobWait {
	jobId: string;
	/** When this node started the job; unset: somebody else did. */
	startedAt?: number;
	waitBegan: number;
	/** When the wait times out. */
	deadline: number;
	/**
	 * Whether this is a round of a suspended wait: it is suspended again after one poll, or after ten
	 * seconds without a free call.
	 */
	isSuspended?: boolean;
	/** Whether the deadline is that of the workflow's own time-out. */
	isLimitedByWorkflow?: boolean;
	options: WaitOptions;
}

/** How a wait ended. */
export type WaitResult =
	/** The job has a status that ends the wait. */
	| { reason: 'status'; job: Job }
	/** It has timed out. With the job as last seen, and what was wrong with the last poll. */
	| { reason: 'deadline'; job?: Job; error?: unknown }
	/** A poll has failed, and further ones would fail, too. */
	| { reason: 'error'; error: unknown }
	/** The run has ended. */
	| { reason: 'aborted' }
	/** n8n's engine is to continue the wait. */
	| { reason: 'suspended' };

/** Begins the wait for the session's job, which lasts for as long as the options say. */
export function beginWait({ clock, entry }: JobSession, options: WaitOptions): JobWait {
	const { jobId = '', started } = entry.known;
	const waitBegan = clock.now();
	const deadline = waitBegan + options.maxWaitMs;
	return { jobId, startedAt: started?.startedAt, waitBegan, deadline, options };
}

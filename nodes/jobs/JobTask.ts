import type { IDataObject } from 'n8n-workflow';

import type { StartRequest } from '../service/types';
import type { OutputSchema } from '../structuredOutput/readSchema';

/** What the user wants done about the job of an item: to start one, or to wait for one. */
export interface JobTask {
	/** The ID of the job to wait for, if the user specified it. */
	jobId?: string;
	/**
	 * What to start otherwise, and the credits that the account must have then (0: no minimum).
	 * Unset where the job was started before, as in a round.
	 */
	start?: { request: StartRequest; minimumCredits: number };
	/** When to pause the job. */
	pauseJob: PausePolicy;
	/** How to wait for the job's end. Unset if the item doesn't wait. */
	options?: JobOptions;
	/** Returns more fields of the item, from the response to the start. Default: none. */
	extraFields?(startBody: IDataObject): IDataObject;
}

/**
 * When the node pauses a job. `onStop`: when the execution is stopped. `onEarlyEnd`: also when the
 * wait for the job ends before the job does.
 */
export type PausePolicy = 'never' | 'onStop' | 'onEarlyEnd';

/**
 * The user's settings for a wait, and for the item of its job. A suspended wait stores them as they
 * are, so they are JSON-serializable, and none is a secret.
 */
export interface JobOptions {
	/** How long the wait may last, including time during which the job is paused. */
	maxWaitMs: number;
	/** Whether to keep waiting while a user has taken over the job's browser. */
	waitWhileTakenOver: boolean;
	/** Whether to suspend the wait while the job runs. */
	suspends: boolean;
	/** The maximum number of items that wait at a time. */
	maxParallel: number;
	/** How many jobs to start at most, one after another has failed. Default: one. */
	maxAttempts?: number;
	/** The cases in which the node returns the job instead of throwing an error. */
	returnInsteadOfFailing: ReturnCase[];

	/** If false, the item has the service's whole response under `response`. */
	simplify: boolean;
	/** Whether an output that is JSON text becomes data, in a simplified item. */
	parsesJson: boolean;
	/** What the output must match. Default: anything. */
	outputSchema?: OutputSchema;
	/** Whether the item contains the job's files. */
	downloadFiles: boolean;
	maxFileBytes: number;
	/** Whether a simplified item contains the CDP URL of the job's browser, which is a secret. */
	returnCdpUrl?: boolean;
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

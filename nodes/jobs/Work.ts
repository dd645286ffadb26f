import type { IBinaryData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { ServiceError } from '../errors/ServiceError';
import type { ByteStream } from '../service/httpResponse';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { PausePolicy } from './JobTask';
import type { TrackedJob } from './TrackedJob';

/**
 * Reads a stream to its end and stores it as binary data. `mimeType` is unset if the response had
 * no useful type.
 */
type StoreFile = (stream: ByteStream, filename: string, mimeType?: string) => Promise<IBinaryData>;

/**
 * Suspends the waits of a run, all at once: from then on, rounds in a sub-workflow continue them.
 * Until then, all of them are polled in this process; then none is, and each wait returns as
 * suspended.
 */
export interface Suspension {
	/** Aborted as soon as the waits are suspended or the run ends. */
	readonly signal: AbortSignal;
	/**
	 * Records that a wait sleeps until its next poll, and then queues for its turn. `endsAt`: its
	 * deadline, in ms, from `Clock.elapsed()`. `hasPolled`: whether it has polled its job in this
	 * process.
	 */
	recordSleep(wait: JobWait, state: { endsAt: number; hasPolled: boolean }): void;
	/** Records that a wait doesn't sleep anymore: its poll is being sent, or it is over. */
	recordAwake(wait: JobWait): void;
	/** Records that an item has its results, whether or not it has waited. */
	recordResults(): void;
}

/**
 * Why a run's later starts would be refused for the account. The keys say which ones: those of an
 * account, or of an account with the same model or saved workflow.
 */
type RefusedStarts = Map<string, ServiceError>;

/** A run of the node, as far as work with jobs concerns it. */
export interface JobRun {
	/** The clock of this process. */
	clock: Clock;
	/** n8n's logger. Removes secrets from what is logged, and says where it comes from. */
	logger: Logger;
	/**
	 * The execution's ID, which is also the name of its group in the account's queues. Empty where
	 * n8n gives none, e.g. in calls over MCP.
	 */
	executionId: string;
	/** Whether the node is a tool of an AI agent, so that equal calls share a job. */
	isTool: boolean;
	/** Aborted when the run ends, for whatever reason. */
	signal: AbortSignal;
	/** The workflow's time zone, e.g. `Europe/Berlin`. */
	timeZone: string;
	/** Shows the user a hint beside the output, each text once. Older versions of n8n show none. */
	showHint(message: string): void;
	storeFile: StoreFile;
	/** Called when the response to a start arrives, even after the end of the run. */
	onStarted(jobId: string): void;
	/** Whether n8n certainly runs the node again if an item fails. */
	isRetryCertain(): boolean;
	/** Why later starts of the run would be refused for the account. */
	refusedStarts: RefusedStarts;
	/**
	 * Until when the limiter of starts was closed when the user was last told so, in ms, from
	 * `Clock.elapsed()`. By the IDs of the accounts.
	 */
	reportedClosings: Map<string, number>;
	/** The waits that are in progress in this process. */
	waitsInProgress: Set<object>;
	/** Suspends the waits. If unset, they stay in this process. */
	suspension?: Suspension;
}

/** What it takes to pause a job: less than a run, which the job may outlive. */
export interface PauseWork {
	run: Pick<JobRun, 'clock' | 'executionId' | 'logger'>;
	client: ServiceClient;
	/** Of an item with several jobs: that of the current attempt. */
	job: TrackedJob;
}

/** What it takes to work with the job of an item. */
export interface Work extends PauseWork {
	run: JobRun;
	/** When to pause the item's jobs. */
	pauseJob: PausePolicy;
	/** The item's jobs, one for each attempt, the oldest first. */
	jobs: TrackedJob[];
}

/** A wait for a job. Timestamps are in ms, from `Clock.now()`. JSON-serializable. */
export interface JobWait {
	beganAt: number;
	/** When the wait times out. */
	deadline: number;
	/** Whether the workflow's own timeout set the deadline. */
	isLimitedByWorkflow?: boolean;
	/** When the job was last polled. If unset, it was not. */
	polledAt?: number;
	/**
	 * When a poll last failed other than with a 429, which says nothing about the job. If unset,
	 * none did.
	 */
	failedAt?: number;
	/** The refused polls since the last successful one. If unset, there were none. */
	refusals?: { count: number; firstAt: number };
}

/** How a wait ended. */
export type WaitEnd =
	/** The job has ended or was taken over. */
	| { kind: 'finished'; job: Job }
	/** The wait has timed out, and the job is returned as it was last seen. */
	| { kind: 'unfinished'; job: Job }
	/** The wait is suspended: the next round continues it. */
	| { kind: 'suspended' };

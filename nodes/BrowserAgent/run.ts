import type { IBinaryKeyData, IDataObject, IExecuteFunctions, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { ErrorPlace } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import type { JobLedger } from '../jobs/JobLedger';
import type { PollScheduler } from '../jobs/PollScheduler';
import type { SpendGuard } from '../jobs/SpendGuard';
import type { StartContext } from '../jobs/startJob';
import type { WaitTimes } from '../jobs/waitForJob';
import type { OutcomeOptions } from '../jobs/waitOutcome';
import type { StoreFile } from '../output/fileItem';
import type { JobItemOptions } from '../output/jobItem';
import type { OutputOptions } from '../parameters/options';
import type { Account } from '../service/Account';
import type { Connector } from '../service/connect';
import type { RunSummary } from './RunSummary';

/** One run of the node: what all its items share. */
export interface Run {
	context: IExecuteFunctions;
	connector: Connector;
	place: ErrorPlace;
	clock: Clock;
	schedulerOf(account: Account): PollScheduler;
	logger: Logger;
	ledger: JobLedger;
	summary: RunSummary;
	storeFile: StoreFile;
	continueOnFail: boolean;
	/** Names the execution for its fair share of the rate limits. */
	execution: string;
	/** Aborted when the execution is stopped, or when an item has made the node fail. */
	signal: AbortSignal;
	/** Ends everything that belongs to the run. */
	abort(): void;
	/** Whether the execution was stopped. */
	isStopped(): boolean;
	/** Whether it had been stopped before the run began: Retry On Fail tries again all the same. */
	beganStopped: boolean;
	/** How waits are suspended; unset: they stay in this process. */
	suspension?: Suspension;
	/** Jobs that were started before this run, for which it is responsible. */
	startedElsewhere: string[];
}

/** Suspends the waits of a run a while after the last one has begun. */
export interface Suspension {
	signal: AbortSignal;
	/** To be called when the last wait begins. */
	scheduleAfterLastWait(): void;
}

/** What an operation works with for one item. */
export interface ItemRun extends StartContext, Pick<Run, 'storeFile' | 'summary'> {
	scheduler: PollScheduler;
	/** Watches the account's credits; unset: nobody does. */
	guard?: SpendGuard;
	/** Aborted when the item's wait is to be suspended. */
	suspendSignal?: AbortSignal;
}

/** An output item, not yet paired. */
export interface OutputItem {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** How a job is waited for, and how its item is made. All of it can be written as JSON. */
export interface FinishOptions
	extends OutputOptions, Pick<JobItemOptions, 'simplify' | 'returnCdpUrl' | 'more'> {
	wait: OutcomeOptions;
	onInvalidOutput: 'fail' | 'return';
}

/** The wait for the job of an item. */
export interface ItemWait {
	item: ItemRun;
	times: WaitTimes;
	options: FinishOptions;
}

/** A job whose wait is suspended. */
export interface SuspendedItem {
	suspended: ItemWait;
}

/** What comes of an input item: any number of these. */
export type ItemResult = OutputItem | SuspendedItem | { error: UserError };

/** One of the results of a run, and the input item that it comes from. */
export interface RunResult {
	itemIndex: number;
	result: ItemResult;
}

export function isError(result: ItemResult): result is { error: UserError } {
	return 'error' in result;
}

export function isSuspended(result: ItemResult): result is SuspendedItem {
	return 'suspended' in result;
}

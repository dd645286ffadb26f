import type { IExecuteFunctions, INodeExecutionData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { CallSubject } from '../errors/describeServiceError';
import type { PageLink } from '../errors/htmlLink';
import type { LogOrigin } from '../errors/safeLogger';
import type { ErrorSource } from '../errors/toNodeError';
import type { UserError, UserErrorDetails } from '../errors/UserError';
import type { InnerExecutions } from '../jobs/InnerExecutions';
import type { JobSession } from '../jobs/JobSession';
import type { RunLedger } from '../jobs/JobLedger';
import type { EntryRecord, LedgerEntry, PausePolicy } from '../jobs/LedgerEntry';
import type { JobWait } from '../jobs/JobWait';
import type { RefusedStarts } from '../jobs/refusedStarts';
import type { ItemOptions } from '../parameters/waiting';
import type { ClientFactory } from '../service/ClientFactory';
import type { RunLifetime } from './RunLifetime';

/** Suspends the waits of a run. */
export interface Suspension {
	/** Ends the waits: aborted when they should be suspended, or when the run ends. */
	waitSignal: AbortSignal;
	/**
	 * Schedules the suspension. Call it when every item waits or has ended: nothing checks the
	 * suspended waits until the run has ended.
	 */
	suspendWaitsLater(): void;
}

/** What all items of one run of the node share. */
export interface Run extends ErrorSource {
	/** n8n's context of the execution. */
	context: IExecuteFunctions;
	/** Creates the client of each item: a credential may contain expressions. */
	clients: ClientFactory;
	/** Whether the node is a tool of an AI agent. */
	isTool: boolean;
	/** Shows the user a hint beside the output, each text once. Older versions of n8n show none. */
	showHint(message: string): void;
	/** The clock of this process. All timestamps of the run come from it. */
	clock: Clock;
	/** n8n's logger. Removes secrets from what is logged, and adds `origin` to each line. */
	logger: Logger;
	/** The execution, the workflow and the node that the log names. */
	origin: LogOrigin;
	/**
	 * The execution's ID, which is also the name of its group in the account's queues. Empty where
	 * n8n gives none, e.g. in calls over MCP.
	 */
	executionId: string;
	/** The jobs of the items, including what earlier runs recorded for their retries. */
	ledger: RunLedger;
	/** Watches inner executions, even after the run has ended. */
	innerExecutions: InnerExecutions;
	/** Whether the other items continue after one fails, with either form of Continue On Fail. */
	continueOnFail: boolean;
	/** Why later starts of the run would be refused. */
	refusedStarts: RefusedStarts;
	/** The waits that are in progress in this process. */
	waitsInProgress: Set<object>;
	/** When the run began: a timestamp in ms. */
	startedAt: number;
	/** Ends the run, and knows why it failed. */
	lifetime: RunLifetime;
	/**
	 * The signal of `lifetime`: aborted by a Stop, when an item makes the node fail, or when all is
	 * done.
	 */
	signal: AbortSignal;
	/** Suspends the waits. If unset, they stay in this process. */
	suspension?: Suspension;
}

/**
 * An item whose parameters were checked, or one of the jobs that such an item names. Nothing has
 * been sent for it.
 */
export interface PreparedItem {
	itemIndex: number;
	/** Always unset, unlike that of an `ItemOutcome`: `hasOutcome` tells the two apart. */
	outcome?: undefined;
	/**
	 * Executes the operation. `Operation.prepare` makes this function; `runItems` calls it once all
	 * items are prepared and have their sessions. Any of the outcomes may be an error; rejects if the
	 * whole item has failed.
	 */
	execute(session: JobSession): Promise<Outcome[]>;
	/** What error messages refer to. */
	subject?: CallSubject;
	/** The maximum number of such items that run at a time. Default: one. */
	maxParallel?: number;
	/** The ID of the job to wait for, if the user specified it. */
	jobId?: string;
	/** The CDP URL of the user's own browser: a secret. */
	cdpUrl?: string;
	/** When to pause the item's job. Default: never. */
	pausePolicy?: PausePolicy;
	/** Whether the item waits for its job to end. Default: no. */
	waitsForEnd?: boolean;
	/** Whether to suspend the wait while the job runs. If unset, it stays in this process. */
	suspends?: boolean;
	/** A hint to show if the run has no output at all. Default: none. */
	emptyHint?: string;
	/** A hint to show if several items name the same job. Default: none. */
	sameJobHint?: string;
	/**
	 * Whether the item starts a job or waits for one, which equal calls of a tool share. Default: no,
	 * so each call is carried out.
	 */
	hasJob?: boolean;
}

/** Whether an item already has its outcome, so that it need not run. */
export function hasOutcome(item: PreparedItem | ItemOutcome): item is ItemOutcome {
	return item.outcome !== undefined;
}

/** An item that is ready to run. */
export interface ReadyItem extends PreparedItem {
	session: JobSession;
}

/** What becomes of an item. An item can have several outcomes, e.g. one for each file. */
export type Outcome = OutputOutcome | FailedOutcome | SuspendedWait;

/** The JSON and the binary data of an item of the node's output. */
export interface OutputOutcome extends Pick<INodeExecutionData, 'json' | 'binary'> {
	kind: 'output';
	/** Where users see the job of the item. Default: no links. */
	links?: PageLink[];
	/** How many files of the job the service has announced that the item lacks. Default: none. */
	otherFiles?: number;
}

/** The error for an item, or for one of its files. */
export interface FailedOutcome {
	kind: 'failed';
	error: UserError;
}

/** A wait that n8n's engine should continue. */
export interface SuspendedWait {
	kind: 'suspended';
	/** Unset in a `StoredItem`, and while the credential can't be used. */
	session?: JobSession;
	wait: JobWait;
	/** How the job becomes an item once the wait is over. */
	itemOptions: ItemOptions;
}

/** One outcome of an item, and where it comes from. */
export interface ItemOutcome {
	itemIndex: number;
	outcome: Outcome;
	/**
	 * The item's entry in the ledger; unset if the item failed before it got one, and in a round of a
	 * suspended wait without a usable credential.
	 */
	entry?: LedgerEntry;
}

/**
 * An item as it is stored while waits are suspended. JSON-serializable: an error is stored as its
 * message and details.
 */
export interface StoredItem {
	itemIndex: number;
	outcome:
		| OutputOutcome
		| { kind: 'failed'; message: string; details: UserErrorDetails }
		| SuspendedWait;
	/** The item's job, if it has one. */
	entry?: StoredEntry;
}

/** What is stored of an item's job, without its output. */
export interface StoredEntry {
	known: EntryRecord;
	pausePolicy: PausePolicy;
}

import type { IExecuteFunctions, INodeExecutionData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { CallSubject } from '../errors/describeServiceError';
import type { ErrorSource } from '../errors/toNodeError';
import type { UserError, UserErrorDetails } from '../errors/UserError';
import type { CreditGuard } from '../jobs/CreditGuard';
import type { InnerExecutions } from '../jobs/InnerExecutions';
import type { JobSession } from '../jobs/JobSession';
import type { JobLedger } from '../jobs/JobLedger';
import type { EntryRecord, LedgerEntry, PausePolicy } from '../jobs/LedgerEntry';
import type { JobWait } from '../jobs/JobWait';
import type { ItemOptions } from '../parameters/waiting';
import type { ClientFactory } from '../service/ClientFactory';
import type { RunEnd } from './RunEnd';

/** Suspends the waits of a run. */
export interface Suspension {
	/** Aborted when the waits are to be suspended, and with the run. */
	waitSignal: AbortSignal;
	/**
	 * Call it when each item waits or has ended: until then, the execution holds the process anyway.
	 */
	schedule(): void;
}

/** One run of the node: what all its items share. */
export interface Run extends ErrorSource {
	/** n8n's own context of the execution. */
	context: IExecuteFunctions;
	/** The service's clients by item: credentials may contain expressions. */
	clients: ClientFactory;
	/** Whether the node is a tool of an AI agent. */
	isTool: boolean;
	/** The clock of this process, in ms. All times of a run are taken from it. */
	clock: Clock;
	/** n8n's log, without secrets. */
	logger: Logger;
	/** Names the execution for its fair share of the rate limits. */
	execution: string;
	/** The jobs of its items, as earlier tries of the same run have left them. */
	ledger: JobLedger;
	/** Starts nothing on an account with fewer credits than an item asks for. */
	credits: CreditGuard;
	/** Watches the executions that hold suspended waits, even after the run. */
	innerExecutions: InnerExecutions;
	/** Whether an item that fails leaves the others alone, with both forms of Continue On Fail. */
	continueOnFail: boolean;
	/** When it began, by the clock, in ms. */
	beganAt: number;
	/** When and why the run ends. */
	end: RunEnd;
	/**
	 * The signal of `end`: aborted when the execution is stopped, or when an item has made the node
	 * fail.
	 */
	signal: AbortSignal;
	/** How waits are suspended; unset: they stay in this process. */
	suspension?: Suspension;
}

/**
 * One item of an operation, or one of the jobs that an item names. It was checked, and nothing was
 * sent.
 */
export interface PreparedItem {
	itemIndex: number;
	/** Tells it from a `SettledItem`, which has an outcome already. */
	outcome?: undefined;
	/**
	 * Executes the operation. An operation's `prepare` makes this function; `runItems` calls it once
	 * all items are prepared and connected. One of several outcomes may be an error.
	 */
	execute(session: JobSession): Promise<ItemOutcome[]>;
	/** What errors name. */
	subject?: CallSubject;
	/** How many such items run at a time; unset: one. */
	maxParallel?: number;
	/** The job that is waited for, if the user has given it. */
	jobId?: string;
	/** The address of the user's own browser: a secret. */
	cdpUrl?: string;
	/** When the item's job is paused; unset: never. */
	policy?: PausePolicy;
	/** Whether it waits for its job. */
	waits?: boolean;
	/** Whether the wait is to be suspended while the job runs. */
	suspends?: boolean;
	/** What to say if there is no output at all; unset: nothing. */
	emptyHint?: string;
	/** What to say if several items name the same job; unset: nothing. */
	sameJobHint?: string;
	/** What makes two calls of an agent's tool the same one. */
	parameters?: unknown;
}

/** An item with everything that it needs to run. */
export interface RunningItem extends PreparedItem {
	session: JobSession;
}

/** One of the outcomes of an item. */
export type ItemOutcome = OutputItem | FailedItem | SuspendedWait;

/** An item of the node's output. */
export interface OutputItem extends Pick<INodeExecutionData, 'json' | 'binary'> {
	kind: 'output';
}

export interface FailedItem {
	kind: 'failed';
	error: UserError;
}

/** A wait that n8n's engine is to continue. */
export interface SuspendedWait {
	kind: 'suspended';
	/** Unset in storage, and without a usable credential. */
	session?: JobSession;
	wait: JobWait;
	itemOptions: ItemOptions;
}

/** An item, or one of the jobs that it names, with its outcome. */
export interface SettledItem {
	itemIndex: number;
	outcome: ItemOutcome;
	/** What the ledger knows of the item's job; unset: nothing was sent for it. */
	entry?: LedgerEntry;
}

/**
 * An item as it is stored while waits are suspended: JSON, with an error's message instead of the
 * error.
 */
export interface StoredItem {
	itemIndex: number;
	outcome:
		OutputItem | { kind: 'failed'; message: string; details: UserErrorDetails } | SuspendedWait;
	/** The item's job, if it has one. */
	entry?: StoredEntry;
}

/** What is stored of an item's job, without its content. */
export interface StoredEntry {
	known: EntryRecord;
	policy: PausePolicy;
}

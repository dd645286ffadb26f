import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	Logger,
} from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import type { NodeFailure } from '../errors/NodeFailure';
import { createSafeLogger, type LogOrigin } from '../errors/safeLogger';
import type { ErrorSource } from '../errors/toNodeError';
import type { CallSubject } from '../errors/toNodeFailure';
import type { MemoryEntry } from '../jobs/JobMemory';
import type { JobOptions, JobTask } from '../jobs/JobTask';
import { TrackedJob } from '../jobs/TrackedJob';
import type { JobRun, JobWait, Work } from '../jobs/Work';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import type { ServiceClient } from '../service/ServiceClient';
import type { RunBrowserAgentRequest } from '../service/types';
import { highlightJob } from './highlightJob';

/** One run of the node: all its items, and what they share. */
export interface Run extends JobRun, ErrorSource {
	/** n8n's context of the execution. */
	context: IExecuteFunctions;
	/** What all runs in this process share. */
	runtime: Runtime;
	/** Creates the client of each item: a credential may contain expressions. */
	clients: ClientFactory;
	logger: Logger;
	/** Where the lines of the log come from: the execution, the workflow and the node. */
	origin: LogOrigin;
	/** As in `JobRun`. Other sources of errors may leave it unset. */
	isTool: boolean;
	/** Whether the other items continue after one fails, with either form of Continue On Fail. */
	continueOnFail: boolean;
	/** What the keys of the run's items in the memory of jobs begin with. */
	memoryScope: string;
	/** When the run began, in ms, from `Clock.elapsed()`. */
	beganAt: number;
	/** What ends the run. */
	lifetime: RunLifetime;
	/** The items, in the order of the input. */
	items: Item[];
	/** The item whose error makes the run fail. Unset if none does. */
	failedItem?: Item;
}

/** What ends a run of the node. A run that is failing can still be stopped. */
class RunLifetime {
	private readonly ending = new AbortController();

	private readonly stopping = new AbortController();

	/**
	 * Aborted by a Stop: a user has stopped the execution or, in an inner execution, the suspended
	 * one.
	 */
	readonly stopped: AbortSignal;

	/** Aborted when the run is over, for whatever reason. */
	readonly over: AbortSignal;

	/** Whether the Stop came before the run began: Retry On Fail runs the node even then. */
	readonly beganStopped: boolean;

	/** `executionSignal`: n8n aborts it when the execution is stopped; unset in older versions. */
	constructor(executionSignal: AbortSignal | undefined) {
		this.stopped = anySignal(this.stopping.signal, executionSignal);
		this.over = anySignal(this.ending.signal, this.stopped);
		this.beganStopped = this.stopped.aborted;
	}

	/** Ends the run because an item has failed or all items are done. */
	end(): void {
		this.ending.abort();
	}

	/** Ends the run as a Stop of its execution would. */
	stop(): void {
		this.stopping.abort();
	}
}

/** The suspended run that a run continues: users know its node and its execution. */
export interface ContinuedRun {
	node: Pick<INode, 'id' | 'name'>;
	executionId: string;
	continueOnFail: boolean;
}

/**
 * Creates a run of the node, without items. If it continues a suspended one, its errors and its log
 * name that one's node and execution.
 */
export function createRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	continued?: ContinuedRun,
): Run {
	const { clock } = runtime;
	const node = { ...context.getNode(), ...continued?.node };
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const origin = originOf(context, continued);
	const logger = createSafeLogger(context.logger, redact, origin);
	const lifetime = new RunLifetime(context.getExecutionCancelSignal());
	const executionId = context.getExecutionId() ?? '';
	const isTool = isToolRun(context, executionId);
	const continueOnFail = continued?.continueOnFail ?? context.continueOnFail();

	const run: Run = {
		context,
		runtime,
		clients,
		clock,
		node,
		redact,
		origin,
		logger,
		lifetime,
		signal: lifetime.over,
		executionId,
		isTool,
		continueOnFail,
		memoryScope: memoryScopeOf(context, executionId, isTool),
		beganAt: clock.elapsed(),
		timeZone: context.getTimezone(),
		showHint: createHints(context),
		storeFile: context.helpers.prepareBinaryData,
		onStarted: (jobId) => highlightJob(run, jobId),
		isRetryCertain: () => !continueOnFail && !isTool && hasTryLeft(run),
		refusedStarts: new Map(),
		reportedClosings: new Map(),
		waitsInProgress: new Set(),
		items: [],
	};
	return run;
}

// Depending on n8n's version, a tool's context says so, or its node type ends in 'Tool'. n8n's own
// agents run the node without an execution; they, too, call it as a tool.
function isToolRun(context: IExecuteFunctions, executionId: string): boolean {
	if (executionId === '' || context.isToolExecution?.() === true) return true;
	return context.getNode().type.endsWith('Tool');
}

/** Returns `Run.memoryScope`: the same text for a run and its retries. */
function memoryScopeOf(context: IExecuteFunctions, executionId: string, isTool: boolean): string {
	const { name } = context.getNode();
	// n8n counts each tool call as another run. All of them have one scope, so that a call that the
	// agent repeats is recognized.
	const runIndex: unknown = isTool ? '' : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([executionId, name, runIndex]);
}

/** Whether Retry On Fail has a try left after this run, as n8n counts them. */
export function hasTryLeft(run: Run): boolean {
	return triesOf(run) < maxTriesOf(run.node);
}

/** Returns how many times n8n has run the node so far. n8n doesn't say, so the memory counts. */
function triesOf({ items }: Run): number {
	return Math.max(1, ...items.map(({ entry }) => entry?.tries ?? 1));
}

/** Returns how many times n8n runs the node if it fails each time, as n8n computes it. */
function maxTriesOf({ retryOnFail, maxTries }: INode): number {
	return retryOnFail === true ? Math.min(5, Math.max(2, maxTries || 3)) : 1;
}

/** Returns where the lines of the log come from: for a round, from the suspended run. */
export function originOf(context: IExecuteFunctions, continued?: ContinuedRun): LogOrigin {
	const { id: workflowId, name: workflowName } = context.getWorkflow();
	if (continued !== undefined) {
		const { node, executionId } = continued;
		// n8n gives the inner execution a workflow name of its own.
		return { executionId, workflowId, nodeName: node.name };
	}
	const executionId = context.getExecutionId();
	return { executionId, workflowId, workflowName, nodeName: context.getNode().name };
}

/** Returns a function that shows a hint beside the output, each text once. */
function createHints(context: IExecuteFunctions): (message: string) => void {
	const shown = new Set<string>();
	return (message) => {
		if (shown.has(message)) return;
		shown.add(message);
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	};
}

/**
 * An item of a run, which fills up on its way: its task when it is prepared, its client and what is
 * remembered of its jobs when it is connected, its results when it has run. An item that fails on
 * the way has its error as its only result, and goes no further.
 */
export interface Item {
	/**
	 * The index of the input item. An input item that names several jobs becomes several of these.
	 */
	index: number;
	task?: Task;
	client?: ServiceClient;
	/** What is remembered of its jobs. Unset if it has none. */
	entry?: MemoryEntry;
	/**
	 * Whether it is not run, because it is unclear whether an earlier try or call has started a job.
	 */
	isSkipped?: boolean;
	results?: Result[];
}

/** What an operation does for an item, made from the item's parameters. */
export interface Task {
	/**
	 * Does it. Any of the results may be an error; rejects if the whole item has failed.
	 */
	execute(work: Work): Promise<Result[]>;
	/** What error messages refer to. */
	subject?: CallSubject;
	/** How many such items run at a time. Default: as many as its job's options say, or one. */
	maxParallel?: number;
	/** A hint to show if the run has no output at all. Default: none. */
	emptyHint?: string;
	/** A hint to show if several items name the same job. Default: none. */
	sameJobHint?: string;
	/** Set if the task starts a job or waits for one. */
	job?: JobTask;
}

/** What becomes of an item. An item can have several results, e.g. one for each file. */
export type Result =
	| OutputResult
	| SuspendedResult
	/** The error of the item, or of one of its files. */
	| { kind: 'failed'; error: NodeFailure };

/** The JSON and the binary data of an item of the node's output. */
export interface OutputResult extends Pick<INodeExecutionData, 'json' | 'binary'> {
	kind: 'output';
	/** The URLs of the pages of the item's job, by their names. Default: none. */
	links?: Record<string, string>;
	/** Whether the item has its job unfinished, so that an equal call of a tool continues with it. */
	isUnfinished?: boolean;
}

/** A suspended wait, which the next round continues. */
export interface SuspendedResult {
	kind: 'suspended';
	wait: JobWait;
	options: JobOptions;
	/** More fields of the item, whether or not it is simplified. */
	extraFields?: IDataObject;
	/** The URLs of the pages of the item's job, by their names. */
	links: Record<string, string>;
}

/** Returns the jobs of an item, one for each attempt, the oldest first; none if it has no job. */
export function jobsOf(item: Item | undefined): TrackedJob[] {
	return item?.entry?.jobs ?? [];
}

/** Returns the jobs of all items of a run. */
export function jobsIn({ items }: Run): TrackedJob[] {
	return items.flatMap(jobsOf);
}

/** Whether an item waits for the end of its job. */
export function waits({ task }: Item): boolean {
	return task?.job?.options !== undefined;
}

/** Returns the CDP URL of the user's own browser, a secret, if an item's job is to run in it. */
export function ownCdpUrlOf({ task }: Item): string | undefined {
	const { body = {} } = task?.job?.start?.request ?? {};
	return (body as Partial<RunBrowserAgentRequest>).cdp_url;
}

/** Whether an item has no result yet, so that it still has to run. */
export function isOpen({ results }: Item): boolean {
	return results === undefined;
}

/** Returns the results of an item; none if it has not run. */
export function resultsOf({ results = [] }: Item): Result[] {
	return results;
}

/**
 * Returns what the task of a connected item works with, among it the latest of the item's jobs, or
 * an empty one for a task without a job.
 */
export function workOf(run: Run, { client, entry, task }: Item): Work {
	const jobs = entry?.jobs ?? [new TrackedJob(run.clock)];
	return {
		run,
		client: client as ServiceClient,
		pauseJob: task?.job?.pauseJob ?? 'never',
		jobs,
		job: jobs.at(-1) as TrackedJob,
	};
}

/** Returns what it takes to pause the jobs of a run, one for each. */
export function worksIn(run: Run): Work[] {
	const connected = run.items.filter(({ client }) => client !== undefined);
	return connected.flatMap((item) => jobsOf(item).map((job) => ({ ...workOf(run, item), job })));
}

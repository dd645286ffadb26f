import type { IDataObject, INode } from 'n8n-workflow';

import { NodeFailure, type NodeFailureDetails } from '../../errors/NodeFailure';
import { withoutMarkup } from '../../errors/plainText';
import { logUnexpected, toSafeParts } from '../../errors/toNodeError';
import { isObject } from '../../isObject';
import { omitUndefined } from '../../jobs/item';
import type { JobOptions, PausePolicy } from '../../jobs/JobTask';
import type { JobRecord } from '../../jobs/TrackedJob';
import type { JobWait } from '../../jobs/Work';
import {
	jobsOf,
	resultsOf,
	type Item,
	type OutputResult,
	type Result,
	type Run,
	type SuspendedResult,
} from '../Run';

/** The version of the stored state's form. A build of the package with another can't read it. */
const VERSION = 5;

/** The JSON of the item that passes from round to round through the sub-workflow. */
export interface SuspendedJson {
	/**
	 * What the user reads if n8n is killed during a round. It isn't called `error`, because n8n would
	 * treat the item as failed.
	 */
	message: string;
	/** The jobs still being awaited, as `toSummary` shows them to users. */
	jobs: IDataObject[];
	/** How long n8n's Wait node waits before the next round. */
	waitSeconds: number;
	state: SuspendedState;
}

/** A suspended run. Timestamps are in ms. */
export interface SuspendedState {
	version: typeof VERSION;
	/** The suspended node and its execution, which errors and the log name. */
	node: Pick<INode, 'id' | 'name'>;
	executionId: string;
	continueOnFail: boolean;
	/**
	 * The timeout in the suspended workflow's settings. If unset, there is none, or only n8n's own,
	 * which is unknown.
	 */
	timeoutSeconds?: number;
	/** What hides the http(s) addresses of browsers, as `Redactor.browsers` has it. */
	browsers: string[];
	/** The options of the items that wait, without duplicates. */
	options: JobOptions[];
	items: StoredItem[];
}

/** An item of the suspended run: its job, and its wait or its results. */
export interface StoredItem {
	/** The index of the input item. */
	index: number;
	job?: JobRecord;
	/** When to pause the job. Unset: never. */
	pauseJob?: PausePolicy;
	/** The position of its options in the list. Unset if it doesn't wait. */
	options?: number;
	wait?: JobWait;
	extraFields?: IDataObject;
	results?: StoredResult[];
}

type StoredResult =
	| Omit<OutputResult, 'links'>
	| { kind: 'failed'; message: string; details: NodeFailureDetails };

/** Returns those items of a run whose wait is suspended. */
export function suspendedItems({ items }: Run): Array<{ item: Item; suspended: SuspendedResult }> {
	return items.flatMap((item) => {
		const suspended = item.results?.find((result) => result.kind === 'suspended');
		return suspended === undefined ? [] : { item, suspended };
	});
}

/** Returns the state of a run that is being suspended. */
export function toState(run: Run, timeoutSeconds?: number): SuspendedState {
	const { id, name } = run.context.getNode();
	return {
		version: VERSION,
		node: { id, name },
		executionId: run.executionId,
		continueOnFail: run.continueOnFail,
		timeoutSeconds,
		...storeItems(run),
	};
}

/** Returns the state after a round. */
export function toNextState(run: Run, before: SuspendedState): SuspendedState {
	return { ...before, ...storeItems(run) };
}

function storeItems(run: Run): Pick<SuspendedState, 'browsers' | 'options' | 'items'> {
	const positions = new Map<string, number>();
	const options: JobOptions[] = [];
	const store = (one: JobOptions): number => {
		const text = JSON.stringify(one);
		const position = positions.get(text) ?? options.push(one) - 1;
		positions.set(text, position);
		return position;
	};
	const items = run.items.map((item) => storeItem(run, item, store));
	const redactors = new Set(run.items.flatMap(({ client }) => client?.redactor ?? []));
	const browsers = [...redactors].flatMap((redactor) => redactor.browsers);
	return { browsers, options, items };
}

function storeItem(run: Run, item: Item, store: (options: JobOptions) => number): StoredItem {
	const { index, task } = item;
	const record = jobsOf(item).at(-1)?.record;
	const results = resultsOf(item);
	const pauseJob = task?.job?.pauseJob;
	const [first] = results;
	if (first?.kind !== 'suspended') {
		const job = record && toStoredRecord(record, false);
		return { index, pauseJob, job, results: results.flatMap((one) => toStoredResult(run, one)) };
	}
	const { wait, options, extraFields } = first;
	return {
		index,
		pauseJob,
		options: store(options),
		job: record && toStoredRecord(record, options.returnCdpUrl === true),
		wait,
		extraFields,
	};
}

function toStoredResult(run: Run, result: Result): StoredResult[] {
	if (result.kind === 'suspended') return [];
	if (result.kind === 'failed') {
		const { message, details } = toSafeParts(result.error, run);
		// `logUnexpectedErrors` logs it in this process, since its stack is not stored.
		return [{ kind: 'failed', message, details: { ...details, isUnexpected: undefined } }];
	}
	const stored = { ...result };
	delete stored.links;
	return [stored];
}

/** Logs the unexpected errors of a run whose results are stored. */
export function logUnexpectedErrors(run: Run): void {
	for (const result of run.items.flatMap(resultsOf)) {
		if (result.kind === 'failed') logUnexpected(result.error, run);
	}
}

// The CDP URL of the job's browser is a secret: it is stored only if the item will contain it.
function toStoredRecord(record: JobRecord, withCdpUrl: boolean): JobRecord {
	const { start, cdp_url, ...rest } = record;
	return {
		...rest,
		cdp_url: withCdpUrl ? cdp_url : undefined,
		start: start && { ...start, body: undefined },
	};
}

/** Returns the stored results of an item as those of a run. */
export function toResults(stored: StoredResult[]): Result[] {
	return stored.map((result) =>
		result.kind === 'output'
			? result
			: { kind: 'failed', error: new NodeFailure(result.message, result.details) },
	);
}

/**
 * Returns what users see of a job that is being awaited: its ID and links, so that they can act.
 */
export function toSummary(item: Item): IDataObject {
	const { job_id, live_url, history_url } = jobsOf(item).at(-1)?.record ?? {};
	return omitUndefined({ job_id, is_finished: false, live_url, history_url });
}

/** Returns the JSON of the item for the next round, which comes in `waitSeconds`. */
export function toSuspendedJson(
	run: Run,
	state: SuspendedState,
	waitSeconds: number,
): SuspendedJson {
	const jobs = suspendedItems(run).map(({ item }) => toSummary(item));
	const jobIds = [...new Set(jobs.map(({ job_id }) => job_id))];
	return {
		message: `Waiting for job ${jobIds.join(', ')}. If you see this item in the output of your workflow, n8n was interrupted during a status check: get the result with Job: Wait.`,
		jobs,
		waitSeconds,
		state,
	};
}

/**
 * Reads the state that was passed to a round. Throws a `NodeFailure` that names the jobs if it has
 * another form, e.g. because another version of the package has stored it.
 */
export function readState({ state, jobs }: Partial<SuspendedJson>): SuspendedState {
	const hasItems = Array.isArray(state?.items) && state.items.every(isObject);
	if (state?.version === VERSION && hasItems) return state;

	const entries: unknown[] = Array.isArray(jobs) ? jobs : [];
	const jobIds = entries
		.map((job) => (isObject(job) ? job.job_id : undefined))
		.filter((jobId) => typeof jobId === 'string');
	// All of them: On Error's Continue keeps nothing but the message.
	const named = jobIds.length === 0 ? 'its jobs' : withoutMarkup(`job ${jobIds.join(', ')}`);
	throw new NodeFailure(
		`The suspended wait for ${named} could not be continued, because its stored state can't be read`,
		{
			description:
				"Another version of the package has probably stored it. The jobs may be running: get their results with Job: Wait, or look for them in the service's list of jobs.",
			jobIds,
		},
	);
}

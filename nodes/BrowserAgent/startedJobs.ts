import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { StartedJob } from '../service/types';

/** A job of this execution. `startedAt` is the clock's time. */
export interface RememberedJob extends StartedJob {
	startedAt: number;
}

// What an item of a started job is made of.
const KEPT_FIELDS = [
	'live_url',
	'history_url',
	'polling_url',
	'user_id',
	'workflow_id',
	'conversation_id',
];

type Entry = { state: 'unclear' } | ({ state: 'started' } & RememberedJob);
type Entries = Record<string, Entry>;

/**
 * The jobs that a node run has started, by item. They are kept in the node's context of the
 * execution, which n8n hands on to the next try when Retry On Fail is set: the next try picks the
 * jobs up instead of starting, and paying, second ones. A loop's next run and a new execution have
 * memories of their own.
 */
export class StartedJobs {
	private readonly ownNames = new Set<string>();

	constructor(
		private readonly runs: Record<string, Entries>,
		private readonly runKey: string,
		private readonly nameOf: (itemIndex: number) => string,
	) {}

	forItem(itemIndex: number): ItemMemory {
		const name = this.nameOf(itemIndex);
		this.ownNames.add(name);
		return new ItemMemory(this.entries, name);
	}

	/** All jobs of this node run. */
	jobIds(): string[] {
		return Object.values(this.entries).flatMap((entry) =>
			entry.state === 'started' ? [entry.job_id] : [],
		);
	}

	/** Whether no start was sent yet that may have come to something. */
	get isEmpty(): boolean {
		return Object.keys(this.entries).length === 0;
	}

	/** Whether there are starts of which it is not known what came of them. */
	get hasUnclear(): boolean {
		return Object.values(this.entries).some(({ state }) => state === 'unclear');
	}

	/** To be called when the node run is over and will not be tried again. */
	forgetRun(): void {
		// Not all entries: an agent's calls of a tool share them, and others may be under way.
		for (const name of this.ownNames) delete this.entries[name];
	}

	private get entries(): Entries {
		return (this.runs[this.runKey] ??= {});
	}
}

/** What is remembered of one item's job. */
export class ItemMemory {
	constructor(
		private readonly entries: Entries,
		private readonly name: string,
	) {}

	/** The job that was started for the item, if its start was answered. */
	get job(): RememberedJob | undefined {
		const entry = this.entries[this.name];
		return entry?.state === 'started' ? entry : undefined;
	}

	/** Whether a start was sent for the item and it is not known what came of it. */
	get isUnclear(): boolean {
		return this.entries[this.name]?.state === 'unclear';
	}

	/** To be called before a start is sent. */
	markUnclear(): void {
		this.entries[this.name] = { state: 'unclear' };
	}

	remember(job: RememberedJob): void {
		// This is stored with the execution, and elsewhere in the answer there may be secrets.
		const known = KEPT_FIELDS.filter((field) => job.body[field] !== undefined);
		const body = Object.fromEntries(known.map((field) => [field, job.body[field]]));
		this.entries[this.name] = { ...job, body, state: 'started' };
	}

	/** It is certain that nothing was started for the item. */
	forget(): void {
		delete this.entries[this.name];
	}
}

/** The memory of the current node run; its earlier tries have left in it what they started. */
export function rememberStartedJobs(context: IExecuteFunctions): StartedJobs {
	const nodeContext: IDataObject = context.getContext('node');
	const runs = (nodeContext.startedJobs ??= {}) as Record<string, Entries>;

	// Retry in n8n's list of executions is a new execution, with the context of the old one.
	const execution = `execution ${context.getExecutionId()}`;
	// n8n counts each try of an agent's tool as a run of its own, so the call itself is the key.
	if (context.isToolExecution?.()) {
		const inputs = context.getInputData();
		return new StartedJobs(runs, `${execution} tool`, (itemIndex) =>
			createHash('sha256').update(JSON.stringify(inputs[itemIndex]?.json)).digest('base64url'),
		);
	}
	const runIndex = String(context.evaluateExpression('{{ $runIndex }}', 0));
	return new StartedJobs(runs, `${execution} run ${runIndex}`, String);
}

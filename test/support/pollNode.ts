import '../../dev/engine/quietEngine';

import {
	createAdditionalData,
	createNode,
	createWorkflow,
	execute,
	type EngineParts,
} from '../../dev/engine/engine';
import { loggerTo } from '../../dev/engine/loggerTo';
import { Container } from '@n8n/di';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	Failure,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	Workflow,
} from 'n8n-workflow';

import { credentialFor, type NodeRun } from './runNode';
import { currentClock, setClock, TestTrigger } from './testRuntime';
import { PACKAGE_NAME } from '../../nodes/package';

const TRIGGER_NAME = 'Browser Agent Trigger';
const TRIGGER_TYPE = `${PACKAGE_NAME}.browserAgentTrigger`;

// The time that n8n's durable scheduler gives a poll by default.
const DURABLE_BUDGET_MS = 36_000;

/** What to publish a workflow with. */
export interface TriggerSetup extends Pick<NodeRun, 'baseUrl' | 'apiKey'> {
	parameters: INodeParameters;
	/**
	 * `default` keeps a published workflow in memory, and saves its static data when a poll has
	 * returned items. `scheduled` does the same, but loads the workflow for every poll. `durable`
	 * loads it, too, and saves the node's static data after each poll: if the poll has returned
	 * items, in one step with the new execution.
	 */
	engine?: Engine;
	/** As in older versions, n8n does not say how long a poll may take. */
	pollBudgetMs?: 'unknown';
	/** What `$vars` is in expressions. */
	variables?: IDataObject;
}

type Engine = 'default' | 'scheduled' | 'durable';

/**
 * n8n's engines for polling triggers: its own, its durable scheduler, and that with durable
 * cursors.
 */
export const ENGINES: Engine[] = ['default', 'scheduled', 'durable'];

/** The error of a poll, with what the user and n8n's scheduler read of it. */
export interface PollFailure extends Error {
	description?: string | null;
	httpCode?: string | null;
	failure?: Failure;
}

/** n8n around one workflow that begins with the trigger, whose polls are left to the test. */
export class PollHost {
	/** The input of each execution. */
	readonly executions: INodeExecutionData[][] = [];

	/** The errors of the failed executions. */
	readonly failures: PollFailure[] = [];

	/** The warnings and errors in n8n's log. */
	readonly log: string[] = [];

	/** The other lines in n8n's log. */
	readonly infoLog: string[] = [];

	/** Can be changed like a workflow in the editor: it takes effect with the next publishing. */
	readonly parameters: INodeParameters;

	readonly variables: IDataObject;

	/** The node's ID. Another one takes effect with the next publishing. */
	nodeId = 'trigger';

	/** The node's name. Another one takes effect with the next publishing. */
	nodeName = TRIGGER_NAME;

	/** The workflow's static data in n8n's database: only this outlives a restart. */
	private saved = '{}';

	/** The durable cursors in n8n's database, by the IDs of their nodes. */
	private readonly cursors = new Map<string, IDataObject>();

	private savesAreLost = false;

	private registration: symbol | undefined;

	private poll: ((isPublishing?: boolean) => Promise<void>) | undefined;

	private readonly engine: Engine;

	constructor(private readonly setup: TriggerSetup) {
		this.engine = setup.engine ?? 'default';
		this.parameters = { ...setup.parameters };
		this.variables = { ...setup.variables };
	}

	/** The node's static data as n8n's database holds it. */
	get savedState(): IDataObject {
		const { [`node:${this.nodeName}`]: own = {} } = JSON.parse(this.saved) as Record<
			string,
			IDataObject
		>;
		// A node without a cursor begins with its static data.
		return this.cursors.get(this.nodeId) ?? own;
	}

	/**
	 * Publishes the workflow, or publishes it again. Returns and throws as its first poll does.
	 */
	async publish(): Promise<INodeExecutionData[]> {
		this.registration = Symbol('registration');
		this.poll = this.createPoll(this.registration, { isPublishing: true });
		try {
			return await this.itemsOf(this.poll(true));
		} catch (error) {
			this.unpublish();
			throw error;
		}
	}

	unpublish(): void {
		this.registration = undefined;
		this.poll = undefined;
	}

	/**
	 * Restarts n8n in a new process: the default engine publishes the workflow again, the others
	 * continue.
	 */
	async restart(): Promise<INodeExecutionData[]> {
		this.savesAreLost = false;
		setClock(currentClock());
		return this.engine === 'default' ? await this.publish() : [];
	}

	/** n8n crashes right after it has started an execution: from now on nothing is saved. */
	loseSaves(): void {
		this.savesAreLost = true;
	}

	/** A scheduled poll. Returns the input of the execution that it has started, if any. */
	async tick(): Promise<INodeExecutionData[]> {
		const { poll, registration } = this;
		if (poll === undefined || registration === undefined) throw new Error('It is not published');
		const next =
			this.engine === 'default' ? poll : this.createPoll(registration, { isPublishing: false });
		return await this.itemsOf(next());
	}

	/** Scheduled polls that are due at once: n8n reads the data of all before it runs the first. */
	async ticksAtOnce(count: number): Promise<void> {
		const { poll, registration, engine } = this;
		if (poll === undefined || registration === undefined) throw new Error('It is not published');
		const polls = Array.from({ length: count }, () =>
			engine === 'default' ? poll : this.createPoll(registration, { isPublishing: false }),
		);
		for (const next of polls) await next();
	}

	/** What a click on "Fetch Test Event" returns, or throws. */
	async test(): Promise<INodeExecutionData[]> {
		const { finished } = execute({ nodes: [this.node], connections: {} }, this.parts, {
			mode: 'manual',
			startNode: this.nodeName,
		});
		const { data } = await finished;
		if (data.resultData.error) throw data.resultData.error;
		return data.resultData.runData[this.nodeName]?.[0]?.data?.main?.[0] ?? [];
	}

	private async itemsOf(poll: Promise<void>): Promise<INodeExecutionData[]> {
		const before = this.executions.length;
		await poll;
		return this.executions.slice(before).flat();
	}

	private createPoll(
		registration: symbol,
		{ isPublishing }: { isPublishing: boolean },
	): (isPublishing?: boolean) => Promise<void> {
		const workflow = createWorkflow(
			{ nodes: [this.node], connections: {} },
			this.parts,
			JSON.parse(this.saved) as IDataObject,
		);
		const node = workflow.getNode(this.nodeName) as INode;
		const context = this.createContext(workflow, node, isPublishing);
		return Container.get(PollTriggerExecutor).create(
			workflow,
			node,
			context,
			() => this.registration === registration,
		);
	}

	private createContext(workflow: Workflow, node: INode, isPublishing: boolean): PollContext {
		const { pollBudgetMs } = this.setup;
		const isDurable = this.engine === 'durable';
		// With durable cursors, n8n passes a copy, and stores it only when the poll has ended.
		const cursor = structuredClone(this.savedState);
		const save = () => {
			this.saveStaticData(workflow);
			if (isDurable) this.saveCursor(cursor);
		};
		// In all engines, the poll at publishing has the full time.
		const isLimited = this.engine !== 'default' && !isPublishing;
		const context = new PollContext(
			workflow,
			node,
			{ ...createAdditionalData(this.parts), variables: this.variables },
			'trigger',
			'activate',
			([items]) => {
				this.executions.push(items ?? []);
				save();
			},
			(error) => this.failures.push(error as PollFailure),
			async () => {
				if (isDurable) this.saveCursor(cursor);
			},
			undefined,
			isDurable ? () => cursor : undefined,
			isLimited ? () => DURABLE_BUDGET_MS : undefined,
		);
		if (pollBudgetMs === 'unknown') {
			delete (context as Partial<{ getPollBudgetMs: unknown }>).getPollBudgetMs;
		}
		const logger = loggerTo((line, level) => {
			const isProblem = level === 'warn' || level === 'error';
			(isProblem ? this.log : this.infoLog).push(line);
		});
		Object.defineProperty(context, 'logger', { value: logger });
		return context;
	}

	private saveStaticData({ staticData }: Workflow): void {
		const isChanged = (staticData as { __dataChanged?: boolean }).__dataChanged === true;
		if (!isChanged || this.savesAreLost) return;
		this.saved = JSON.stringify(staticData);
		(staticData as { __dataChanged?: boolean }).__dataChanged = false;
	}

	private saveCursor(cursor: IDataObject): void {
		this.cursors.set(this.nodeId, structuredClone(cursor));
	}

	private get node(): INode {
		const { nodeId, nodeName, parameters } = this;
		return createNode(nodeName, TRIGGER_TYPE, { id: nodeId, parameters });
	}

	private get parts(): EngineParts {
		return {
			nodeTypes: { [TRIGGER_TYPE]: new TestTrigger() },
			credentials: credentialFor(this.setup),
		};
	}
}

/** The trigger against a sandbox. */
export function createPollHost(
	{ url }: { url: string },
	parameters: INodeParameters,
	more: Partial<TriggerSetup> = {},
): PollHost {
	return new PollHost({ baseUrl: url, parameters, ...more });
}

/** Job and status of each item. */
export function eventsOf(items: INodeExecutionData[]): Array<[unknown, unknown]> {
	return items.map(({ json }) => [json.job_id, json.status]);
}

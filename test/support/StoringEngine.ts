import '../../dev/engine/quietEngine';

import {
	execute,
	type EngineParts,
	type Execution,
	type RunOptions,
} from '../../dev/engine/engine';
import {
	createRunExecutionData,
	ManualExecutionCancelledError,
	OperationalError,
	type ExecuteWorkflowData,
	type ExecuteWorkflowOptions,
	type IExecuteWorkflowInfo,
	type IRun,
	type IRunExecutionData,
	type IWorkflowBase,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { subWorkflowNodes } from './subWorkflowNodes';
import { currentClock } from './testRuntime';

/** How this n8n is limited, or fails. */
export interface EngineLimits {
	withoutExecutionId?: boolean;
	withoutWorkflowId?: boolean;
	/** The error with which n8n refuses to run sub-workflows. */
	refusesSubWorkflows?: Error;
	/** n8n's database can't be read for other executions. */
	isDatabaseDown?: boolean;
	/** n8n is killed during the second round, and restarted. */
	crashesInRound?: boolean;
	/** A user clicks Stop while the execution is being suspended. */
	isStoppedMeanwhile?: boolean;
	/** 'Timeout After' in the workflow's settings. */
	timeoutSeconds?: number;
}

/** A row of n8n's database. */
interface Row {
	workflow: IWorkflowBase;
	run: Omit<IRun, 'data'>;
	/** As JSON. n8n's own format also stores repeated values only once. */
	data: string;
}

export const PARENT_ID = '1';
/** The execution of the first sub-workflow. */
export const SUB_WORKFLOW_ID = '2';

/**
 * n8n around one execution, with a database: what waits is stored, and resumes from that alone.
 * It follows the steps of n8n's own `executeWorkflow`, wait tracker, Stop and
 * `updateParentExecutionWithChildResults`; the executions themselves run on n8n-core.
 * test/e2e/suspendedWaitSettings.test.ts checks timeouts, Stop and deletion in a whole n8n, and so
 * proves that these steps are n8n's.
 */
export class StoringEngine {
	/** How long each wait was, in seconds. */
	readonly waits: number[] = [];

	/** Resolves when the execution is suspended. */
	readonly suspended: Promise<void>;

	/** IDs of the executions whose data nodes have read. */
	readonly executionsRead: string[] = [];

	private readonly rows = new Map<string, Row>();

	private readonly parts: EngineParts;

	private readonly running = new Map<string, Execution>();

	private readonly stoppedInNode = new Set<string>();

	private lastId = Number(PARENT_ID);

	private resolveSuspended: () => void = () => {};

	constructor(
		parts: EngineParts,
		readonly limits: EngineLimits = {},
	) {
		const own = subWorkflowNodes((seconds) => this.waits.push(seconds));
		this.suspended = new Promise((resolve) => (this.resolveSuspended = resolve));
		this.parts = { ...parts, nodeTypes: { ...own, ...parts.nodeTypes } };
	}

	/** Runs a workflow, and all that it waits for, to the end. */
	async run(
		parts: Pick<IWorkflowBase, 'nodes' | 'connections'>,
		startNode: string,
		mode: WorkflowExecuteMode = 'trigger',
	): Promise<IRun> {
		const { settings: given } = parts as Partial<IWorkflowBase>;
		const settings = { ...given, executionTimeout: this.limits.timeoutSeconds };
		const workflow = { id: 'workflow-1', name: 'Test', ...parts, settings } as IWorkflowBase;
		const run = await this.process(PARENT_ID, workflow, { mode, startNode });
		return await this.continueRun(run);
	}

	/** How many sub-workflows were called. */
	get subWorkflows(): number {
		return this.lastId - Number(PARENT_ID);
	}

	/** The first sub-workflow as it stands. */
	get subWorkflow(): IRun | undefined {
		return this.rows.has(SUB_WORKFLOW_ID) ? this.read(SUB_WORKFLOW_ID) : undefined;
	}

	/** The execution itself as it stands. */
	get parent(): IRun {
		return this.read(PARENT_ID);
	}

	/** All that is in the database. */
	get stored(): string {
		return JSON.stringify([...this.rows.values()]);
	}

	/** What n8n does when a user clicks Stop. */
	stop(id = PARENT_ID): void {
		const row = this.rows.get(id);
		if (row?.run.status !== 'waiting') {
			this.stoppedInNode.add(id);
			this.running.get(id)?.stop();
			return;
		}
		const data = JSON.parse(row.data) as IRunExecutionData;
		const error = new ManualExecutionCancelledError(id);
		data.resultData.error = { ...error, message: error.message, stack: error.stack } as never;
		row.data = JSON.stringify(data);
		row.run = { ...row.run, status: 'canceled', waitTill: null };
	}

	/**
	 * What n8n does when it loses the worker that runs the execution: the error names no node, and no
	 * result is kept.
	 */
	loseWorker(id = PARENT_ID): void {
		const row = this.rows.get(id) as Row;
		const data = createRunExecutionData({
			resultData: { error: new OperationalError('Failed to be processed too many times') as never },
		});
		row.data = JSON.stringify(data);
		row.run = { ...row.run, status: 'error', waitTill: null };
	}

	/** What n8n does when a user deletes the execution, or when it is pruned. */
	delete(id = PARENT_ID): void {
		this.rows.delete(id);
	}

	/** Deletes the credential; returns a function that restores it. */
	deleteCredential(): () => void {
		const { credentials } = this.parts;
		const deleted = { ...credentials };
		// Executions that run now notice it, too.
		for (const name of Object.keys(credentials)) delete credentials[name];
		return () => Object.assign(credentials, deleted);
	}

	private async continueRun(run: IRun): Promise<IRun> {
		if (run.status !== 'waiting') return run;
		this.resolveSuspended();

		const [next] = run.data.executionData?.nodeExecutionStack ?? [];
		const [childId = ''] = next?.metadata?.waitingChildExecutionIds ?? [];
		const childRun = await this.follow(childId);
		if (childRun === undefined || !this.updateParent(childId, childRun)) {
			return this.rows.has(PARENT_ID) ? this.read(PARENT_ID) : run;
		}
		return await this.continueRun(await this.resume(PARENT_ID));
	}

	/** How a sub-workflow ends; undefined if it is deleted. */
	private async follow(childId: string): Promise<IRun | undefined> {
		for (;;) {
			const { waitTill } = this.read(childId);
			if (!waitTill) throw new Error(`Execution ${childId} waits for nothing`);
			const clock = currentClock();
			await clock.sleep(waitTill.getTime() - clock.now());
			if (this.rows.get(childId)?.run.status !== 'waiting') {
				return this.rows.has(childId) ? this.read(childId) : undefined;
			}
			// n8n uses what was stored last, and does not resume it.
			if (this.limits.crashesInRound && this.waits.length === 2) {
				return { ...this.read(childId), status: 'crashed' };
			}
			const run = await this.resume(childId);
			if (run.status !== 'waiting') return run;
		}
	}

	private async resume(id: string): Promise<IRun> {
		const { workflow, data, run } = this.rows.get(id) as Row;
		run.status = 'running';
		const stored = JSON.parse(data) as IRunExecutionData;
		return await this.process(id, workflow, { mode: run.mode, stored });
	}

	private async process(id: string, workflow: IWorkflowBase, options: RunOptions): Promise<IRun> {
		const { withoutWorkflowId, withoutExecutionId } = this.limits;
		const execution = execute(withoutWorkflowId ? { ...workflow, id: '' } : workflow, this.parts, {
			...options,
			additionalData: {
				executionId: withoutExecutionId ? undefined : id,
				executeWorkflow: async (info, _additionalData, call) =>
					await this.executeWorkflow(info, call),
				getRunExecutionData: async (otherId) => {
					this.executionsRead.push(otherId);
					if (this.limits.isDatabaseDown) throw new Error('The database is down');
					return this.rows.has(otherId) ? this.read(otherId).data : undefined;
				},
			},
		});
		this.running.set(id, execution);
		const finished = await execution.finished;
		const { data, ...run } = finished;
		// n8n stores the execution as it was at the Stop, so without an error.
		if (this.stoppedInNode.has(id)) delete data.resultData.error;
		this.rows.set(id, { workflow, run, data: JSON.stringify(data) });
		return finished;
	}

	private async executeWorkflow(
		{ code }: IExecuteWorkflowInfo,
		{ inputData, parentExecution, parentWorkflowId }: ExecuteWorkflowOptions,
	): Promise<ExecuteWorkflowData> {
		if (this.limits.refusesSubWorkflows) throw this.limits.refusesSubWorkflows;
		if (code === undefined) throw new Error('Only inline workflows can be called here');
		const id = String(++this.lastId);
		const workflow = { ...code, id: code.id || parentWorkflowId };
		const start = workflow.nodes.find(({ type }) => type.endsWith('.executeWorkflowTrigger'));
		const run = await this.process(id, workflow, {
			mode: 'integrated',
			startNode: start?.name,
			input: inputData,
			parentExecution,
		});
		if (this.limits.isStoppedMeanwhile) this.stop();
		if (run.status !== 'waiting' && run.finished !== true) {
			throw Object.assign(new Error(), run.data.resultData.error);
		}
		return {
			executionId: id,
			data: lastNodeData(run.data)?.main ?? [null],
			waitTill: run.waitTill,
		};
	}

	/** Gives the parent the child's output. Returns whether the parent continues with it. */
	private updateParent(childId: string, { data }: IRun): boolean {
		const { error } = data.resultData;
		const given = lastNodeData(data);
		const parent = this.rows.get(PARENT_ID);
		if ((!error && !given) || parent?.run.status !== 'waiting') return false;

		const parentData = JSON.parse(parent.data) as IRunExecutionData;
		const [next] = parentData.executionData?.nodeExecutionStack ?? [];
		if (next === undefined) return false;
		if (error) {
			const subExecution = { executionId: childId, workflowId: 'workflow-1' };
			next.metadata = { ...next.metadata, resumeError: error, subExecution };
		} else if (given) {
			next.data = given;
		}
		parent.data = JSON.stringify(parentData);
		return true;
	}

	private read(id: string): IRun {
		const { run, data } = this.rows.get(id) as Row;
		return { ...run, data: JSON.parse(data) as IRunExecutionData };
	}
}

function lastNodeData({ resultData }: IRunExecutionData) {
	return resultData.runData[resultData.lastNodeExecuted ?? '']?.at(-1)?.data;
}

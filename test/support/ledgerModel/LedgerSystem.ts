import '../quietEngine';

import type { INode, INodeParameters, IExecuteFunctions, IRun, Logger } from 'n8n-workflow';

import type { Execution } from '../../../dev/engine/engine';
import { BrowserAgent } from '../../../nodes/BrowserAgent/BrowserAgent.node';
import { execute } from '../../../nodes/BrowserAgent/execute';
import { createRuntime, type Runtime } from '../../../nodes/runtime';
import { NODE_NAME, startNode } from '../runNode';
import { startTool } from '../runTool';
import { checkExecution } from './checkExecution';
import { ModelService, type Caller, type ModelJob } from './ModelService';
import { ModelTime } from './ModelTime';

/** What an execution is to do. */
export interface Scenario {
	form: 'agent' | 'jobs' | 'tool called by the agent' | 'tool run by the engine';
	/** One item, or call of the tool, for each; equal tasks are equal calls. */
	tasks: string[];
	areAtOnce: boolean;
	waits: boolean;
	onStop: 'pause' | 'leave';
	pauseWhenAbandoned: boolean;
	tries: 1 | 2 | 3;
	onError: NonNullable<INode['onError']>;
	maxParallelJobs: number;
	maxWaitMinutes: number;
	onTimeout: 'fail' | 'return';
	onUnsuccessful: 'fail' | 'return';
	onPaused: 'wait' | 'return';
	minimumCredits?: number;
	maxAttempts: 1 | 2 | 3;
	stopBelowCredits?: number;
}

/** A process of n8n, with what it has logged. */
export interface ModelProcess {
	isDead: boolean;
	diedAt?: number;
	runtime: Runtime;
	log: Array<{ at: number; line: string }>;
}

/** An execution of the workflow. */
export interface ModelExecution extends Caller {
	owner: ModelProcess;
	scenario: Scenario;
	execution: Execution;
	stoppedAt?: number;
	endedAt?: number;
	run?: IRun;
	/** The jobs that it was given to wait for. */
	given: ModelJob[];
	/** What the calls of a tool that have ended before a Stop have answered. */
	answers: string[];
}

const STOP_WITHIN_MS = 1_000;
// Starts may take two minutes to be answered, and pauses half a minute.
const AFTERWARDS_MS = 200_000;

/** n8n-core with our node, processes that can be killed, and a service, all in simulated time. */
export class LedgerSystem {
	readonly time = new ModelTime();

	readonly service = new ModelService(
		this.time,
		(caller) => (caller as ModelExecution).stoppedAt !== undefined,
	);

	readonly executions: ModelExecution[] = [];

	process = this.createProcess();

	/** The execution that has neither ended nor been killed. */
	get open(): ModelExecution | undefined {
		return this.executions.find(({ endedAt, owner }) => endedAt === undefined && !owner.isDead);
	}

	async begin(scenario: Scenario): Promise<void> {
		const given =
			scenario.form === 'jobs' ? scenario.tasks.map((task) => this.service.createJob(task)) : [];
		const modelExecution: Omit<ModelExecution, 'execution'> & Partial<ModelExecution> = {
			name: `execution ${this.executions.length + 1}`,
			owner: this.process,
			scenario,
			given,
			answers: [],
		};
		modelExecution.execution = this.start(modelExecution as ModelExecution);
		const begun = modelExecution as ModelExecution;
		this.executions.push(begun);
		void begun.execution.finished.then((run) => {
			if (begun.owner.isDead) return;
			begun.endedAt = this.time.now;
			// What comes later is not stored by n8n.
			begun.run = structuredClone(run);
		});
		await this.time.advance(0);
	}

	async stop(): Promise<void> {
		const { open } = this;
		if (open === undefined) return;
		open.stoppedAt = this.time.now;
		open.execution.stop();
		await this.time.advance(STOP_WITHIN_MS, () => open.endedAt !== undefined);
		expect({ ended: open.endedAt !== undefined }).toEqual({ ended: true });
	}

	/** Ends the process as a SIGKILL does, and starts another one. */
	kill(): void {
		this.process.isDead = true;
		this.process.diedAt = this.time.now;
		this.time.removeTimersOf(this.process);
		this.process = this.createProcess();
	}

	/** Lets everything come to its end, and checks what must hold then. */
	async finish(): Promise<void> {
		const { open } = this;
		if (open !== undefined) {
			this.service.calmDown();
			const { maxWaitMinutes, maxAttempts, tasks } = open.scenario;
			const limitMs = (maxWaitMinutes + 5) * 60_000 * 3 * tasks.length * maxAttempts;
			await this.time.advance(limitMs, () => open.endedAt !== undefined);
			expect({ ended: open.endedAt !== undefined }).toEqual({ ended: true });
		}
		await this.time.advance(AFTERWARDS_MS);
		expect(this.service.violations).toEqual([]);
		for (const execution of this.executions) checkExecution(execution, this.service);
	}

	private createProcess(): ModelProcess {
		const owner = { isDead: false, log: [] } as unknown as ModelProcess;
		owner.runtime = createRuntime({ clock: this.time.clockOf(owner) });
		return owner;
	}

	private start(execution: ModelExecution): Execution {
		const { scenario, given } = execution;
		const { form, tasks, areAtOnce, tries, onError } = scenario;
		const settings: Partial<INode> = {
			onError,
			...(tries === 1 ? {} : { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
		};
		const options = toOptions(scenario);
		const nodeType = this.createNode(execution);
		const baseUrl = 'https://api.example.com';
		if (form === 'jobs') {
			const input = given.map(({ jobId }) => ({ job_id: jobId }));
			const parameters = { options };
			return startNode({
				baseUrl,
				resource: 'job',
				operation: 'wait',
				parameters,
				input,
				settings,
				nodeType,
			});
		}
		const parameters = { waitUntilFinished: scenario.waits, options };
		if (form === 'agent') {
			const input = tasks.map((task) => ({ task }));
			return startNode({
				baseUrl,
				resource: 'agent',
				operation: 'run',
				parameters: { directive: '={{ $json.task }}', ...parameters },
				input,
				settings,
				nodeType,
			});
		}
		return startTool({
			form: form === 'tool called by the agent' ? 'called by the agent' : 'run by the engine',
			baseUrl,
			parameters: {
				resource: 'agent',
				operation: 'run',
				directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
				...parameters,
			},
			calls: tasks.map((directive) => ({ directive })),
			areAtOnce,
			settings,
			nodeType,
		});
	}

	private createNode(caller: ModelExecution): BrowserAgent {
		const { service, time } = this;
		const { owner } = caller;
		class ModelAgent extends BrowserAgent {
			override async execute(this: IExecuteFunctions) {
				Object.assign(this.helpers, service.helpersFor(caller));
				const write = (line: string) => {
					if (!owner.isDead) owner.log.push({ at: time.now, line });
				};
				const logger: Logger = { debug: () => {}, info: write, warn: write, error: write };
				Object.defineProperty(this, 'logger', { value: logger });
				const answering = execute(this, owner.runtime);
				void answering.then(JSON.stringify, String).then((answer) => {
					if (caller.stoppedAt === undefined) caller.answers.push(answer);
				});
				return await answering;
			}
		}
		return new ModelAgent();
	}
}

function toOptions(scenario: Scenario): INodeParameters {
	const { form, waits, onStop, pauseWhenAbandoned, maxParallelJobs, maxWaitMinutes } = scenario;
	const { onTimeout, onUnsuccessful, onPaused, minimumCredits, maxAttempts } = scenario;
	const { stopBelowCredits } = scenario;
	return {
		...(form === 'jobs' ? {} : { onStop }),
		...(form === 'jobs' || minimumCredits === undefined ? {} : { minimumCredits }),
		...(form === 'jobs' || maxAttempts === 1 ? {} : { maxAttempts }),
		...(stopBelowCredits === undefined ? {} : { stopBelowCredits }),
		...(form === 'jobs' || waits
			? {
					pauseWhenAbandoned,
					maxParallelJobs,
					maxWaitMinutes,
					onTimeout,
					onUnsuccessful,
					onPaused,
				}
			: {}),
	};
}

/** All text in the node's output, and in its errors. */
export function outputText(run: IRun): string {
	const { resultData } = run.data;
	const tasks = Object.entries(resultData.runData).flatMap(([name, tasksOfNode]) =>
		name === 'Input' ? [] : tasksOfNode,
	);
	const errors = tasks.flatMap(({ error }) =>
		error === undefined ? [] : [error.message, error.description, error.context],
	);
	const items = tasks.flatMap(({ data }) =>
		Object.values(data ?? {}).flatMap((outputs) =>
			outputs.flatMap((output) =>
				(output ?? []).map(({ json, error }) => [json, error?.message, error?.description]),
			),
		),
	);
	return JSON.stringify([errors, items]);
}

export { NODE_NAME };

import '../../../dev/engine/quietEngine';

import type { IBinaryData, INode, INodeParameters, IExecuteFunctions, IRun } from 'n8n-workflow';

import type { Execution } from '../../../dev/engine/engine';
import { loggerTo } from '../../../dev/engine/loggerTo';
import type { Job } from '../../../dev/sandbox/state/Job';
import type { Fault, JobScript } from '../../../dev/sandbox/types';
import { BrowserAgent } from '../../../nodes/BrowserAgent/BrowserAgent.node';
import { execute } from '../../../nodes/BrowserAgent/execute';
import type { JobMemory, MemoryEntry } from '../../../nodes/jobs/JobMemory';
import type { PausePolicy } from '../../../nodes/jobs/JobTask';
import { createRuntime, type Runtime } from '../../../nodes/runtime';
import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { testClock } from '../testClock';
import { startNode } from '../runNode';
import { startTool, type ToolForm } from '../runTool';
import { RecordingSandbox, type Caller } from './RecordingSandbox';

/** What an execution is to do. */
export interface Scenario {
	form: 'agent' | 'jobs' | ToolForm;
	/** One item, or call of the tool, for each; equal tasks are equal calls. */
	tasks: string[];
	areAtOnce: boolean;
	waits: boolean;
	/**
	 * `new`: an execution of its own. `none`: n8n gives no execution ID. `same`: the calls go on in
	 * the last execution, e.g. after a person has reviewed one, or again without one.
	 */
	execution: 'new' | 'none' | 'same';
	options: INodeParameters & {
		pauseJob: PausePolicy;
		maxAttempts?: number;
	};
	settings: Partial<INode>;
	/** How long n8n takes to read a credential, in ms. Unset: no time. */
	credentialMs?: number;
	/** How long each file takes to arrive, in ms. Unset: no time. */
	fileMs?: number;
}

/** What happens while an execution runs. Jobs are counted from the last one. */
export type Step =
	| ['pass', number]
	| ['pause' | 'resume' | 'takeOver', number]
	| ['stop']
	| ['kill'];

/**
 * An execution, what goes wrong with its requests, how its jobs go on, and what happens meanwhile.
 */
export interface Play {
	scenario: Scenario;
	faults: Fault[];
	jobs: JobScript[];
	steps: Step[];
}

/** A process of n8n, with what it has logged. */
interface ModelProcess {
	isDead: boolean;
	runtime: Runtime;
	log: Array<{ at: number; line: string }>;
}

/** An execution of the workflow. */
export interface ModelExecution extends Caller {
	owner: ModelProcess;
	scenario: Scenario;
	/** The execution's ID; `null`: it has none. */
	executionId: string | null;
	stoppedAt?: number;
	requestsBeforeStop?: number;
	endedAt?: number;
	run?: IRun;
	/** The jobs that it was given to wait for. */
	given: Job[];
	/** What the calls of a tool that have ended before a Stop have answered. */
	answers: string[];
	/** All entries of the memory that it has worked with. */
	entries: Set<MemoryEntry>;
}

/** How long an execution may take to end after a Stop. */
export const STOP_WITHIN_MS = 1_000;
const MAX_HOURS = 3;
// Starts may take two minutes to be answered, and pauses are tried for five minutes.
const AFTERWARDS_MS = 480_000;

/**
 * Creates systems on the clock of the file. n8n's own timers use it, and jitter is always the same.
 */
export function useModelSystems(): () => ModelSystem {
	const clock = testClock(Date.UTC(2026, 0, 1));
	let random = 0;

	beforeEach(() => {
		jest.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) => {
			void clock.sleep(ms).then(callback);
			return 0;
		}) as unknown as typeof setTimeout);
		jest.spyOn(Math, 'random').mockImplementation(() => {
			random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
			return random / 2 ** 31;
		});
	});
	afterEach(() => jest.restoreAllMocks());

	return () => {
		clock.reset();
		clock.hold();
		random = 1;
		return new ModelSystem(clock);
	};
}

/** n8n-core with our node, processes that can be killed, and a sandbox, all in simulated time. */
export class ModelSystem {
	readonly sandbox: RecordingSandbox;

	readonly executions: ModelExecution[] = [];

	private process: ModelProcess;

	constructor(private readonly clock: SimulatedClock) {
		this.sandbox = new RecordingSandbox(clock);
		this.process = this.createProcess();
	}

	/**
	 * Runs an execution until its steps are over and it has ended or was killed; a killed one sends
	 * nothing more.
	 */
	async play({ scenario, faults, jobs, steps }: Play): Promise<void> {
		this.sandbox.script(faults, jobs);
		const { tasks, form } = scenario;
		const given = form === 'jobs' ? tasks.map((task) => this.sandbox.startJob(task)) : [];
		const execution: ModelExecution = {
			owner: this.process,
			scenario,
			executionId: this.executionIdFor(scenario),
			given,
			answers: [],
			entries: new Set(),
		};
		this.executions.push(execution);
		const isOver = () => execution.endedAt !== undefined || execution.owner.isDead;
		const { stop, finished } = this.start(execution);
		void finished.then((run) => {
			if (execution.owner.isDead) return;
			execution.endedAt = this.clock.now();
			// What comes later is not stored by n8n.
			execution.run = structuredClone(run);
		});
		await this.clock.advance(0);
		for (const step of steps) {
			if (isOver()) break;
			await this.perform(step, execution, stop);
		}
		const end = this.clock.now() + MAX_HOURS * 3_600_000;
		while (!isOver() && this.clock.now() < end) await this.clock.advance(60_000);
	}

	/** Lets everything come to its end. */
	async settle(): Promise<void> {
		await this.clock.advance(AFTERWARDS_MS);
	}

	private async perform(step: Step, execution: ModelExecution, stop: () => void): Promise<void> {
		switch (step[0]) {
			case 'pass':
				return await this.clock.advance(step[1]);
			case 'stop':
				execution.stoppedAt = this.clock.now();
				execution.requestsBeforeStop = this.sandbox.requests.length;
				stop();
				return await this.clock.advance(STOP_WITHIN_MS);
			case 'kill':
				execution.owner.isDead = true;
				this.process = this.createProcess();
				return;
			default: {
				const job = this.sandbox.jobs.at(-1 - step[1]);
				if (job !== undefined) this.sandbox.byUser(step[0], job);
			}
		}
	}

	private createProcess(): ModelProcess {
		return { isDead: false, log: [], runtime: createRuntime({ clock: this.clock }) };
	}

	private executionIdFor({ execution }: Scenario): string | null {
		const last = this.executions.at(-1);
		if (execution === 'same' && last !== undefined) return last.executionId;
		return execution === 'none' ? null : String(this.executions.length + 1);
	}

	private start(execution: ModelExecution): Execution {
		const { executionId } = execution;
		const { form, tasks, areAtOnce, waits, options, settings } = execution.scenario;
		const nodeType = this.createNode(execution);
		const own = { baseUrl: this.sandbox.url, settings, nodeType, executionId };
		const parameters = { waitUntilFinished: waits, options };
		const calls = tasks.map((directive) => ({ directive }));
		if (isTool(form)) return startTool({ ...own, form, parameters, calls, areAtOnce });
		const isAgent = form === 'agent';
		return startNode({
			...own,
			resource: isAgent ? 'agent' : 'job',
			operation: isAgent ? 'run' : 'wait',
			parameters: { directive: '={{ $json.directive }}', ...parameters },
			input: isAgent ? calls : execution.given.map(({ id }) => ({ job_id: id })),
		});
	}

	private createNode(caller: ModelExecution): BrowserAgent {
		const { sandbox, clock } = this;
		const { owner } = caller;
		const { credentialMs = 0, fileMs = 0 } = caller.scenario;
		const runtime: Runtime = {
			...owner.runtime,
			memory: recordingMemory(owner.runtime.memory, caller.entries),
		};
		class ModelAgent extends BrowserAgent {
			override async execute(this: IExecuteFunctions) {
				Object.assign(this.helpers, sandbox.helpersFor(caller, fileMs));
				this.helpers.prepareBinaryData = storeFile;
				const getCredentials = this.getCredentials.bind(this);
				this.getCredentials = async (...args) => {
					await clock.sleep(credentialMs);
					return await getCredentials(...args);
				};
				const logger = loggerTo((line, level) => {
					if (level !== 'debug' && !owner.isDead) owner.log.push({ at: clock.now(), line });
				});
				Object.defineProperty(this, 'logger', { value: logger });
				const answering = execute(this, runtime);
				void answering.then(JSON.stringify, String).then((answer) => {
					if (caller.stoppedAt === undefined) caller.answers.push(answer);
				});
				return await answering;
			}
		}
		return new ModelAgent();
	}
}

/** Stores a file nowhere. */
async function storeFile(file: unknown): Promise<IBinaryData> {
	for await (const chunk of file as AsyncIterable<Buffer>) void chunk;
	return { data: '', mimeType: 'text/plain' };
}

/** The same memory; the entries that are opened with it are added to `entries`. */
function recordingMemory(memory: JobMemory, entries: Set<MemoryEntry>): JobMemory {
	const open: JobMemory['open'] = (...given) => {
		const entry = memory.open(...given);
		entries.add(entry);
		return entry;
	};
	return Object.create(memory, { open: { value: open } }) as JobMemory;
}

/** Whether the node runs as a tool. */
export function isTool(form: Scenario['form']): form is ToolForm {
	return form !== 'agent' && form !== 'jobs';
}

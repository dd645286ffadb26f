// What a test talks to:
//
// - The sandbox, over HTTP, whose responses follow the service's OpenAPI document.
//   `service.run(…)` runs the node on the real n8n-core, `service.admin` decides in process how the
//   next jobs turn out, `service.fault(…)` makes requests fail, and `service.sent(…)` returns what
//   has arrived.
// - A raw server (`useServer`), for what a sane server can't do: broken JSON, or a response that
//   never ends.
//
// Two more programs use the sandbox with random jobs, faults and options: the model of jobs calls
// it in process, since it is about order (a Stop, a crash, a user who pauses, at any time), and the
// fuzzer over HTTP, since it is about bytes.

import type { INodeParameters } from 'n8n-workflow';

import type { SandboxAdmin, ShortScript } from '../../dev/sandbox/SandboxAdmin';
import { type Sandbox, startSandbox } from '../../dev/sandbox/startSandbox';
import type { EndpointName, Fault, RequestFilter, SandboxOptions } from '../../dev/sandbox/types';
import { testClock } from './testClock';
import { INPUT_NAME, runNode, startNode, toResult, workflowOf, type NodeRun } from './runNode';
import { StoringEngine, type EngineLimits } from './StoringEngine';
import { setClock, setServiceLimits } from './testRuntime';
import { waitFor } from './waitFor';

/** What to run the node with, against the sandbox unless `baseUrl` says otherwise. */
export type SandboxRun = Omit<NodeRun, 'baseUrl'> & Partial<Pick<NodeRun, 'baseUrl'>>;

/** A fault; the endpoint is named separately. */
export type FaultCase = Omit<Fault, 'endpoint'>;

// The delays between refused polls grow, and so the last of these comes a minute after the first.
const REFUSALS_OF_A_MINUTE = 7;

/**
 * Starts a sandbox for the tests of a file. Each test finds it as new, with the documented limits.
 * Its time and the node's are simulated.
 */
export function useSandbox(options: SandboxOptions = {}): SandboxUnderTest {
	const service = new SandboxUnderTest();
	const { clock } = service;

	beforeAll(async () => {
		service.sandbox = await startSandbox({ clock, ...options });
	});
	beforeEach(() => {
		setServiceLimits();
		clock.reset();
		setClock(clock);
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await service.admin.reset();
	});
	afterAll(async () => {
		setClock();
		setServiceLimits();
		await service.sandbox.close();
	});
	return service;
}

/** A sandbox for all tests of a file, and the node run against it. */
class SandboxUnderTest {
	/** The time of the sandbox and of the node. */
	readonly clock = testClock();

	sandbox!: Sandbox;

	get url(): string {
		return this.sandbox.url;
	}

	get admin(): SandboxAdmin {
		return this.sandbox.admin;
	}

	async run(run: SandboxRun) {
		return await runNode({ baseUrl: this.url, ...run });
	}

	/** Like `run`, but returns the running execution. */
	start(run: SandboxRun) {
		return startNode({ baseUrl: this.url, ...run });
	}

	/**
	 * Like `start`, with 'Suspend While Waiting' on an n8n that keeps the wait in its database.
	 */
	suspend({ parameters, ...run }: SandboxRun, limits?: EngineLimits) {
		const options = { suspendWhileWaiting: true, ...(parameters?.options as INodeParameters) };
		const { workflow, parts } = workflowOf({
			baseUrl: this.url,
			...run,
			parameters: { ...parameters, options },
		});
		const engine = new StoringEngine(parts, limits);
		return { engine, finished: toResult(engine.run(workflow, INPUT_NAME, run.mode)) };
	}

	/** Agent: Run, with a directive. */
	async runAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>) {
		return await this.run(agentRun(parameters, more));
	}

	startAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>) {
		return this.start(agentRun(parameters, more));
	}

	suspendAgent(
		options = {},
		{ parameters, ...more }: Partial<SandboxRun> = {},
		limits?: EngineLimits,
	) {
		return this.suspend(agentRun({ options, ...parameters }, more), limits);
	}

	/** Agent: Run, with an item for each of these directives. */
	async runTasks(
		tasks: string[],
		parameters: INodeParameters = {},
		more: Partial<SandboxRun> = {},
	) {
		return await this.runAgent(
			{ directive: '={{ $json.task }}', ...parameters },
			{ input: tasks.map((task) => ({ task })), ...more },
		);
	}

	/** Saved Workflow: Run, of a workflow without inputs. */
	async runWorkflow(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
		return await this.run({
			resource: 'workflow',
			operation: 'run',
			parameters: { workflowId: 'wf_daily_report', ...parameters },
			...more,
		});
	}

	async waitForJob(jobId: string, options?: INodeParameters, more?: Partial<SandboxRun>) {
		return await this.run(waitRun([jobId], options, more));
	}

	async waitForJobs(jobIds: string[], options?: INodeParameters, more?: Partial<SandboxRun>) {
		return await this.run(waitRun(jobIds, options, more));
	}

	/** Adds a job that another client has just started, and returns its ID. */
	async givenJob(script: ShortScript = {}, key = 'sandbox-pro-key'): Promise<string> {
		return await this.admin.startJob(script, key);
	}

	async givenJobs(...scripts: ShortScript[]): Promise<string[]> {
		return await Promise.all(scripts.map(async (script) => await this.givenJob(script)));
	}

	/** Adds `count` jobs with the same script. */
	async givenManyJobs(count: number, script: ShortScript): Promise<string[]> {
		return await this.givenJobs(...Array<ShortScript>(count).fill(script));
	}

	/** The next request to this endpoint goes wrong like this; a number is an HTTP status. */
	async fault(endpoint: Fault['endpoint'], fault: FaultCase | number, more?: Partial<FaultCase>) {
		const what = typeof fault === 'number' ? ({ kind: 'status', status: fault } as const) : fault;
		await this.admin.fault({ endpoint, ...what, ...more });
	}

	/** The next polls are refused, just often enough to end a wait for a job that was started or seen. */
	async refusePolls(more?: Partial<FaultCase>) {
		await this.fault('getJob', 403, { times: REFUSALS_OF_A_MINUTE, ...more });
	}

	/** What the node has sent. */
	async requests(filter?: RequestFilter) {
		return await this.admin.requests(filter);
	}

	/** What the node has sent to this endpoint. */
	async sent(endpoint: EndpointName) {
		return await this.requests({ endpoint });
	}

	/** The jobs whose status the node has read, in this order; those after the first `from` reads. */
	async polledJobs(from = 0) {
		return (await this.sent('getJob')).slice(from).map(({ jobId }) => jobId);
	}

	/**
	 * Lets time pass on the held clock, in steps of `stepMs`, until `check` does not throw. The steps
	 * are small because n8n's own pauses pass by the machine's clock meanwhile.
	 */
	async until(check: () => void | Promise<void>, stepMs = 250): Promise<void> {
		await waitFor(async () => {
			await this.clock.advance(stepMs);
			await check();
		});
	}

	/** The only job that there is. */
	async onlyJob() {
		const [job, ...others] = await this.admin.jobs();
		if (job === undefined || others.length > 0) throw new Error('There is not one job');
		return job;
	}

	/** The IDs of all jobs, in the order of their starts. */
	async jobIds() {
		return (await this.admin.jobs()).map(({ job_id }) => job_id);
	}

	/** The statuses of all jobs, in the order of their starts. */
	async jobStatuses() {
		return (await this.admin.jobs()).map(({ status }) => status);
	}
}

function agentRun(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}): SandboxRun {
	return {
		resource: 'agent',
		operation: 'run',
		parameters: { directive: 'Find the price', ...parameters },
		...more,
	};
}

/** Job: Wait, with an item for each of these jobs, these options, and `parameters` beside them. */
export function waitRun(
	jobIds: string[],
	options: INodeParameters = {},
	{ parameters, ...more }: Partial<SandboxRun> = {},
): SandboxRun {
	return {
		resource: 'job',
		operation: 'wait',
		parameters: { options, ...parameters },
		input: jobIds.map((job_id) => ({ job_id })),
		...more,
	};
}

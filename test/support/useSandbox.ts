import axios from 'axios';
import type { INodeParameters } from 'n8n-workflow';

import type { AdminClient } from '../../dev/sandbox/AdminClient';
import { type Sandbox, startSandbox } from '../../dev/sandbox/startSandbox';
import type { Fault, LoggedRequest, RequestFilter, SandboxOptions } from '../../dev/sandbox/types';
import type { Execution } from '../../dev/engine/engine';
import { runNode, startNode, type NodeResult, type NodeRun } from './runNode';
import { simulatedClock, type SimulatedClock } from './simulatedClock';
import { steadyClock } from './steadyClock';
import { setClock, setServiceLimits } from './testRuntime';

/** What to run the node with, against the sandbox unless `baseUrl` says otherwise. */
export type SandboxRun = Omit<NodeRun, 'baseUrl'> & Partial<Pick<NodeRun, 'baseUrl'>>;

/** A sandbox for all tests of a file, and the node run against it. */
export interface SandboxUnderTest {
	readonly url: string;
	readonly admin: AdminClient;
	/** The time of the sandbox and of the node, unless the sandbox has a time scale. */
	readonly clock: SimulatedClock;
	run(options: SandboxRun): Promise<NodeResult>;
	/** The same, for a run that is to be stopped. */
	start(options: SandboxRun): Execution;
	/** Agent: Run, with a directive. */
	runAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Promise<NodeResult>;
	startAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Execution;
	/** Workflow: Run, of a workflow without inputs. */
	runWorkflow(parameters?: INodeParameters, more?: Partial<SandboxRun>): Promise<NodeResult>;
	/** Job: Wait, with these options. */
	waitForJob(
		jobId: string,
		options?: INodeParameters,
		more?: Partial<SandboxRun>,
	): Promise<NodeResult>;
	/** Starts a job as another client would, and returns its ID. */
	givenJob(script?: Parameters<AdminClient['nextJob']>[0], key?: string): Promise<string>;
	/** What the node has sent; starts of `givenJob` are not among it. */
	requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
	/** The IDs of all jobs, in the order of their starts. */
	jobIds(): Promise<string[]>;
	/** Their statuses. */
	jobStatuses(): Promise<string[]>;
}

/**
 * Starts a sandbox for the tests of a file. Each test finds it as new, with the documented limits.
 * Its time and the node's are simulated or, with a time scale, real time that goes by so much faster.
 */
export function useSandbox(options: SandboxOptions = {}): SandboxUnderTest {
	const { timeScale } = options;
	const clock = simulatedClock();
	let sandbox: Sandbox;
	let lastGiven = 0;

	beforeAll(async () => {
		const realNow = timeScale === undefined ? clock.date : steadyClock(1).date;
		sandbox = await startSandbox({ realNow, ...options });
	});
	beforeEach(() => {
		lastGiven = 0;
		setServiceLimits();
		clock.reset();
		setClock(timeScale === undefined ? clock : steadyClock(timeScale));
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await sandbox.admin.reset();
	});
	afterAll(async () => {
		setClock();
		setServiceLimits();
		await sandbox.close();
	});

	const agentRun = (parameters: INodeParameters, more: Partial<SandboxRun>): SandboxRun => ({
		resource: 'agent',
		operation: 'run',
		parameters: { directive: 'Find the price', ...parameters },
		...more,
	});
	const service: SandboxUnderTest = {
		clock,
		get url() {
			return sandbox.url;
		},
		get admin() {
			return sandbox.admin;
		},
		run: async (run) => await runNode({ baseUrl: sandbox.url, ...run }),
		start: (run) => startNode({ baseUrl: sandbox.url, ...run }),
		runAgent: async (parameters = {}, more = {}) => await service.run(agentRun(parameters, more)),
		startAgent: (parameters = {}, more = {}) => service.start(agentRun(parameters, more)),
		runWorkflow: async (parameters = {}, more = {}) =>
			await service.run({
				resource: 'workflow',
				operation: 'run',
				parameters: { workflowId: 'wf_daily_report', ...parameters },
				...more,
			}),
		waitForJob: async (jobId, jobOptions = {}, more = {}) =>
			await service.run({
				resource: 'job',
				operation: 'wait',
				parameters: { jobId, options: jobOptions },
				...more,
			}),
		async givenJob(script, key = 'sandbox-pro-key') {
			if (script !== undefined) await sandbox.admin.nextJob(script);
			const { data } = await axios.post<{ job_id: string }>(
				`${sandbox.url}/v1/run_browser_agent`,
				{ directive: 'Started by somebody else' },
				{ headers: { Authorization: `Bearer ${key}` }, proxy: false },
			);
			const requests = await sandbox.admin.requests();
			lastGiven = requests.at(-1)?.id ?? 0;
			return data.job_id;
		},
		requests: async (filter = {}) => await sandbox.admin.requests({ since: lastGiven, ...filter }),
		jobIds: async () => (await sandbox.admin.jobs()).map(({ job_id }) => job_id),
		jobStatuses: async () => (await sandbox.admin.jobs()).map(({ status }) => status),
	};
	return service;
}

/** What goes wrong, without where. */
export type FaultCase = Omit<Fault, 'endpoint'>;

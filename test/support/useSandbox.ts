import axios from 'axios';
import type { INodeParameters } from 'n8n-workflow';

import type { AdminClient } from '../../dev/sandbox/AdminClient';
import type { LoggedJob } from '../../dev/sandbox/api/toLoggedJob';
import { type Sandbox, startSandbox } from '../../dev/sandbox/startSandbox';
import type {
	EndpointName,
	Fault,
	LoggedRequest,
	RequestFilter,
	SandboxOptions,
} from '../../dev/sandbox/types';
import type { Execution } from '../../dev/engine/engine';
import { runNode, startNode, type NodeResult, type NodeRun } from './runNode';
import { fakeClock, type FakeClock } from './fakeClock';
import { setClock, setServiceLimits } from './testRuntime';

/** What to run the node with, against the sandbox unless `baseUrl` says otherwise. */
export type SandboxRun = Omit<NodeRun, 'baseUrl'> & Partial<Pick<NodeRun, 'baseUrl'>>;

/** A sandbox for all tests of a file, and the node run against it. */
export interface SandboxUnderTest {
	readonly url: string;
	readonly admin: AdminClient;
	/** The time of the sandbox and of the node. */
	readonly clock: FakeClock;
	run(options: SandboxRun): Promise<NodeResult>;
	/** The same, for a run that is to be stopped. */
	start(options: SandboxRun): Execution;
	/** Agent: Run, with a directive. */
	runAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Promise<NodeResult>;
	startAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Execution;
	/** Agent: Run, with an item for each of these directives. */
	runTasks(
		tasks: string[],
		parameters?: INodeParameters,
		more?: Partial<SandboxRun>,
	): Promise<NodeResult>;
	/** Workflow: Run, of a workflow without inputs. */
	runWorkflow(parameters?: INodeParameters, more?: Partial<SandboxRun>): Promise<NodeResult>;
	/** Job: Wait, with these options, and `parameters` beside them. */
	waitForJob(
		jobId: string,
		options?: INodeParameters,
		more?: Partial<SandboxRun>,
	): Promise<NodeResult>;
	/** Job: Wait, with an item for each of these jobs. */
	waitForJobs(
		jobIds: string[],
		options?: INodeParameters,
		more?: Partial<SandboxRun>,
	): Promise<NodeResult>;
	/** Starts a job as another client would, and returns its ID. */
	givenJob(script?: Parameters<AdminClient['nextJob']>[0], key?: string): Promise<string>;
	givenJobs(...scripts: Array<Parameters<AdminClient['nextJob']>[0]>): Promise<string[]>;
	/** The next request to this endpoint goes wrong like this; a number is an HTTP status. */
	fault(
		endpoint: Fault['endpoint'],
		fault: FaultCase | number,
		more?: Partial<FaultCase>,
	): Promise<void>;
	/** What the node has sent; starts of `givenJob` are not among it. */
	requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
	/** What the node has sent to this endpoint. */
	sent(endpoint: EndpointName): Promise<LoggedRequest[]>;
	/** The only job that there is. */
	onlyJob(): Promise<LoggedJob>;
	/** The IDs of all jobs, in the order of their starts. */
	jobIds(): Promise<string[]>;
	/** Their statuses. */
	jobStatuses(): Promise<string[]>;
}

/**
 * Starts a sandbox for the tests of a file. Each test finds it as new, with the documented limits.
 * Its time and the node's are simulated.
 */
export function useSandbox(options: SandboxOptions = {}): SandboxUnderTest {
	const clock = fakeClock();
	let sandbox: Sandbox;
	let lastGiven = 0;

	beforeAll(async () => {
		sandbox = await startSandbox({ realNow: clock.now, ...options });
	});
	beforeEach(() => {
		lastGiven = 0;
		setServiceLimits();
		clock.reset();
		setClock(clock);
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
		runTasks: async (tasks, parameters = {}, more = {}) =>
			await service.runAgent(
				{ directive: '={{ $json.task }}', ...parameters },
				{ input: tasks.map((task) => ({ task })), ...more },
			),
		runWorkflow: async (parameters = {}, more = {}) =>
			await service.run({
				resource: 'workflow',
				operation: 'run',
				parameters: { workflowId: 'wf_daily_report', ...parameters },
				...more,
			}),
		waitForJob: async (jobId, jobOptions = {}, { parameters, ...more } = {}) =>
			await service.run({
				resource: 'job',
				operation: 'wait',
				parameters: { jobId, options: jobOptions, ...parameters },
				...more,
			}),
		waitForJobs: async (jobIds, jobOptions = {}, more = {}) =>
			await service.waitForJob('={{ $json.job_id }}', jobOptions, {
				input: jobIds.map((job_id) => ({ job_id })),
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
		async givenJobs(...scripts) {
			const jobIds: string[] = [];
			for (const script of scripts) jobIds.push(await service.givenJob(script));
			return jobIds;
		},
		async fault(endpoint, fault, more = {}) {
			const what = typeof fault === 'number' ? ({ kind: 'status', status: fault } as const) : fault;
			await sandbox.admin.fault({ endpoint, ...what, ...more });
		},
		requests: async (filter = {}) => await sandbox.admin.requests({ since: lastGiven, ...filter }),
		sent: async (endpoint) => await service.requests({ endpoint }),
		async onlyJob() {
			const [job, ...others] = await sandbox.admin.jobs();
			if (job === undefined || others.length > 0) throw new Error('There is not one job');
			return job;
		},
		jobIds: async () => (await sandbox.admin.jobs()).map(({ job_id }) => job_id),
		jobStatuses: async () => (await sandbox.admin.jobs()).map(({ status }) => status),
	};
	return service;
}

/** What goes wrong, without where. */
export type FaultCase = Omit<Fault, 'endpoint'>;

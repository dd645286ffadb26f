import type { INodeParameters } from 'n8n-workflow';

import type { AdminClient } from '../../dev/sandbox/AdminClient';
import { type Sandbox, startSandbox } from '../../dev/sandbox/startSandbox';
import type { Fault, LoggedRequest, RequestFilter, SandboxOptions } from '../../dev/sandbox/types';
import type { Execution } from '../../dev/engine/engine';
import { runNode, startNode, type NodeResult, type NodeRun } from './runNode';
import { steadyClock } from './steadyClock';
import { setClock, setServiceLimits } from './testRuntime';

/** How much faster than real time the sandbox and the node's clock are. */
export const TIME_SCALE = 60;

/** What to run the node with, against the sandbox unless `baseUrl` says otherwise. */
export type SandboxRun = Omit<NodeRun, 'baseUrl'> & Partial<Pick<NodeRun, 'baseUrl'>>;

/** A sandbox for all tests of a file, and the node run against it. */
export interface SandboxUnderTest {
	readonly url: string;
	readonly admin: AdminClient;
	run(options: SandboxRun): Promise<NodeResult>;
	/** The same, for a run that is to be stopped. */
	start(options: SandboxRun): Execution;
	/** Agent: Run, with a directive. */
	runAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Promise<NodeResult>;
	startAgent(parameters?: INodeParameters, more?: Partial<SandboxRun>): Execution;
	/** Starts a job as another client would, and returns its ID. */
	givenJob(script?: Parameters<AdminClient['nextJob']>[0], key?: string): Promise<string>;
	/** What the node has sent; starts of `givenJob` are not among it. */
	requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
}

/**
 * Starts a sandbox for the tests of a file. Each test finds it as new, with the documented limits,
 * and time going by 60 times as fast for it and for the node.
 */
export function useSandbox(options: SandboxOptions = {}): SandboxUnderTest {
	let sandbox: Sandbox;
	let lastGiven = 0;

	beforeAll(async () => {
		sandbox = await startSandbox({
			timeScale: TIME_SCALE,
			realNow: steadyClock(1).date,
			...options,
		});
	});
	beforeEach(() => {
		lastGiven = 0;
		setServiceLimits();
		setClock(steadyClock(TIME_SCALE));
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
		async givenJob(script, key = 'sandbox-pro-key') {
			if (script !== undefined) await sandbox.admin.nextJob(script);
			const response = await fetch(`${sandbox.url}/v1/run_browser_agent`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
				body: JSON.stringify({ directive: 'Started by somebody else' }),
			});
			const { job_id: jobId } = (await response.json()) as { job_id: string };
			const requests = await sandbox.admin.requests();
			lastGiven = requests.at(-1)?.id ?? 0;
			return jobId;
		},
		requests: async (filter = {}) => await sandbox.admin.requests({ since: lastGiven, ...filter }),
	};
	return service;
}

/** What goes wrong, without where. */
export type FaultCase = Omit<Fault, 'endpoint'>;

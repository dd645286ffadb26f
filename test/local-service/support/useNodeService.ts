import type { INodeParameters } from 'n8n-workflow';

import type { Settings } from '../../../local-service/settings';
import { type Service, startService } from '../../../local-service/startService';
import { type NodeRun, runNode, startNode } from '../../support/runNode';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { serviceSettings } from './serviceSettings';
import { callApi } from './useService';

type Run = Omit<NodeRun, 'baseUrl' | 'apiKey'>;

/** The nodes on n8n-core, with a local service that has a real browser. */
export class NodeService {
	service!: Service;
	/** The lines of the service's log in this test. */
	readonly lines: string[] = [];

	async run(run: Run) {
		return await runNode({ ...run, ...this.credential });
	}

	/** Agent: Run, with a directive. */
	async runAgent(parameters: INodeParameters, more: Partial<Run> = {}) {
		return await this.run(agentRun(parameters, more));
	}

	/** Like `runAgent`, but returns the running execution. */
	startAgent(parameters: INodeParameters, more: Partial<Run> = {}) {
		return startNode({ ...agentRun(parameters, more), ...this.credential });
	}

	/** Calls the API without the node. */
	async call(...[path, options]: [string, Parameters<typeof callApi>[2]?]) {
		return await callApi(this.service, path, options);
	}

	async status(jobId: unknown) {
		return (await this.call(`/v1/get_job_status/${String(jobId)}`)).json;
	}

	/** The job that was started last. */
	newestJob() {
		const job = this.service.jobs.newestFirst()[0];
		if (!job) throw new Error('There is no job');
		return job;
	}

	private get credential() {
		return { baseUrl: this.service.url, apiKey: this.service.apiKey };
	}
}

/**
 * Starts a local service for the tests of a file. `change` is called before. Time is real, and the
 * rate limits are off.
 */
export function useNodeService(change: () => Partial<Settings>): NodeService {
	const node = new NodeService();
	beforeAll(async () => {
		const options = {
			rateLimits: 'off',
			writeLog: (line: string) => node.lines.push(line),
		} as const;
		node.service = await startService(serviceSettings({ port: 0, ...change() }), options);
	});
	beforeEach(() => {
		node.lines.length = 0;
		setServiceLimits();
		setClock();
	});
	afterAll(async () => {
		await node.service?.close();
	});
	return node;
}

function agentRun(parameters: INodeParameters, more: Partial<Run>): Run {
	return { resource: 'agent', operation: 'run', parameters, ...more };
}

import '../../dev/engine/environment';

import {
	NodeConnectionTypes,
	type ICredentialType,
	type IExecuteFunctions,
	type INodeType,
} from 'n8n-workflow';

import type { BrowserAgent as BrowserAgentNode } from '../../nodes/BrowserAgent/BrowserAgent.node';
import type { BrowserAgentApi as BrowserAgentCredential } from '../../credentials/BrowserAgentApi.credentials';
import { createRuntime, type Runtime } from '../../nodes/runtime';
import { execute } from '../../dev/engine/engine';
import { scaledClock } from '../../dev/engine/scaledClock';
import { execute as executeNode } from '../../nodes/BrowserAgent/execute';

// With their endings, since a `.node.json` lies beside the node and would be taken for it.
/* eslint-disable @typescript-eslint/no-require-imports */
const { BrowserAgent } = require('../../nodes/BrowserAgent/BrowserAgent.node.ts') as {
	BrowserAgent: typeof BrowserAgentNode;
};
const { BrowserAgentApi } = require('../../credentials/BrowserAgentApi.credentials.ts') as {
	BrowserAgentApi: typeof BrowserAgentCredential;
};
/* eslint-enable @typescript-eslint/no-require-imports */

/** What the process is to do, as a message to it. It exits on disconnect. */
export interface BatchTask {
	baseUrl: string;
	timeScale: number;
	jobs: number;
}

/** How it went, as the message it answers with. Times in seconds of the scaled clock. */
export interface BatchReport {
	completed: number;
	tookSeconds: number;
	error?: string;
}

process.on(
	'message',
	(task: BatchTask) => void runBatch(task).then((report) => process.send?.(report)),
);

async function runBatch({ baseUrl, timeScale, jobs }: BatchTask): Promise<BatchReport> {
	const clock = scaledClock(timeScale);
	const runtime = createRuntime({ clock });
	const began = clock.now();
	const { data } = await execute(
		{
			nodes: [
				{ ...at('Rows'), type: 'test.rows', parameters: {} },
				{
					...at('Agent'),
					type: 'test.agent',
					parameters: {
						resource: 'agent',
						operation: 'run',
						directive: 'Find the price',
						options: { maxParallelJobs: jobs, maxWaitMinutes: 600 },
					},
					credentials: { browserAgentApi: { id: '1', name: 'Browser Agent API' } },
				},
			],
			connections: {
				Rows: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
			},
		},
		{
			nodeTypes: { 'test.rows': rows(jobs), 'test.agent': agentOn(runtime) },
			credentials: {
				browserAgentApi: {
					type: new BrowserAgentApi() as ICredentialType,
					data: { baseUrl, apiKey: 'sandbox-enterprise-key' },
				},
			},
		},
		{ startNode: 'Rows' },
	).finished;
	const [task] = data.resultData.runData.Agent ?? [];
	return {
		completed: task?.data?.main?.[0]?.length ?? 0,
		tookSeconds: (clock.now() - began) / 1000,
		error: task?.error?.message,
	};
}

function agentOn(runtime: Runtime): INodeType {
	const { description } = new BrowserAgent();
	return {
		description,
		async execute(this: IExecuteFunctions) {
			return await executeNode(this, runtime);
		},
	};
}

function at(name: string) {
	return { id: name, name, typeVersion: 1, position: [0, 0] as [number, number] };
}

function rows(count: number): INodeType {
	return {
		description: {
			displayName: 'Rows',
			name: 'rows',
			group: ['trigger'],
			version: 1,
			description: 'Gives so many items',
			defaults: {},
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute() {
			return [Array.from({ length: count }, (_, row) => ({ json: { row } }))];
		},
	};
}

import { execute, type EngineParts, type Execution, type RunOptions } from '../../demo/engine';
import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type ITaskData,
} from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';

export const NODE_NAME = 'Browser Agent';
const INPUT_NAME = 'Input';

/** What to run the node with. */
export interface NodeRun {
	baseUrl: string;
	apiKey?: string;
	resource: string;
	operation: string;
	parameters?: INodeParameters;
	/** The JSON of the input items; unset: one empty item. */
	input?: IDataObject[];
	/** Settings of the node itself: `onError`, `retryOnFail`, `maxTries`, `waitBetweenTries`. */
	settings?: Partial<INode>;
	mode?: RunOptions['mode'];
}

/** How a run of the node ended. */
export interface NodeResult {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** The items of the error output. */
	errorItems: INodeExecutionData[];
	/** What the user reads in the editor when the node has failed. */
	error?: { message: string; description?: string | null; context: IDataObject; httpCode?: string };
	/** How n8n reports the whole execution. */
	status: IRun['status'];
	task?: ITaskData;
	run: IRun;
}

/** Runs the action node on n8n-core as the only node of a workflow, after one that gives its input. */
export async function runNode(options: NodeRun): Promise<NodeResult> {
	return await toResult(startNode(options).finished);
}

/** The same, for a run that is to be stopped. */
export function startNode({
	baseUrl,
	apiKey = 'sandbox-pro-key',
	resource,
	operation,
	parameters = {},
	input = [{}],
	settings = {},
	mode,
}: NodeRun): Execution {
	const node: INode = {
		id: 'node-1',
		name: NODE_NAME,
		type: 'n8n-nodes-browser-agent.browserAgent',
		typeVersion: 1,
		position: [200, 0],
		parameters: { resource, operation, ...parameters },
		credentials: { browserAgentApi: { id: 'credential-1', name: 'Browser Agent API' } },
		...settings,
	};
	const source: INode = {
		id: 'node-0',
		name: INPUT_NAME,
		type: 'test.input',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const parts: EngineParts = {
		nodeTypes: {
			'n8n-nodes-browser-agent.browserAgent': new BrowserAgent(),
			'test.input': inputNode(input),
		},
		credentials: {
			browserAgentApi: { type: new BrowserAgentApi(), data: { baseUrl, apiKey } },
		},
	};
	return execute(
		{
			nodes: [source, node],
			connections: {
				[INPUT_NAME]: { main: [[{ node: NODE_NAME, type: NodeConnectionTypes.Main, index: 0 }]] },
			},
		},
		parts,
		{ mode, startNode: INPUT_NAME },
	);
}

export async function toResult(finished: Promise<IRun>): Promise<NodeResult> {
	const run = await finished;
	const task = run.data.resultData.runData[NODE_NAME]?.[0];
	const [items, errorItems] = task?.data?.main ?? [];
	const error = task?.error as NodeResult['error'];
	return { items: items ?? [], errorItems: errorItems ?? [], error, status: run.status, task, run };
}

function inputNode(input: IDataObject[]): INodeType {
	return {
		description: {
			displayName: 'Input',
			name: 'input',
			group: ['trigger'],
			version: 1,
			description: 'Gives the input items of a test',
			defaults: { name: INPUT_NAME },
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			return [input.map((json, item) => ({ json, pairedItem: { item } }))];
		},
	};
}

import '../../dev/engine/quietEngine';

import {
	createNode,
	execute,
	type EngineParts,
	type Execution,
	type RunOptions,
} from '../../dev/engine/engine';
import type {
	NodeConnectionType,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	INodeConnections,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	IRun,
	ITaskData,
	IWorkflowBase,
} from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { TestAgent } from './testRuntime';
import { PACKAGE_NAME } from '../../nodes/package';

export const NODE_NAME = 'Browser Agent';
export const AGENT_TYPE = `${PACKAGE_NAME}.browserAgent`;
/** The node that gives the input. */
export const INPUT_NAME = 'Input';

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
	/** The time zone in the workflow's settings; unset: n8n's own. */
	timeZone?: string;
	/**
	 * Called before a signed request is sent. What it returns or resolves to replaces parts of the
	 * request.
	 */
	onRequest?: (request: IHttpRequestOptions) => RequestChange | Promise<RequestChange>;
	/** The node to run; unset: the action node on the runtime of the test. */
	nodeType?: INodeType;
	/** The ID of the execution; `null`: n8n gives none. Unset: one of its own. */
	executionId?: string | null;
}

type RequestChange = Partial<IHttpRequestOptions> | undefined;

/** Retry On Fail, with the shortest pause between tries: n8n replaces 0 by 1000. */
export const RETRY_ON_FAIL: Partial<INode> = {
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
};
/** 'Continue' in 'On Error', which older versions call 'Continue On Fail'. */
export const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };
/** 'Continue (using error output)' in 'On Error'. */
export const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };
/** Both Retry On Fail and Continue On Fail. */
export const RETRY_AND_CONTINUE: Partial<INode> = { ...RETRY_ON_FAIL, ...CONTINUE };

/** How a run of the node ended. */
export interface NodeResult {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** Their JSON. */
	json: IDataObject[];
	/** The items of the error output. */
	errorItems: INodeExecutionData[];
	/** What the user reads in the editor when the node has failed. */
	error?: { message: string; description?: string | null; context: IDataObject; httpCode?: string };
	/** How n8n reports the whole execution. */
	status: IRun['status'];
	task?: ITaskData;
	run: IRun;
}

/**
 * Runs the action node on n8n-core as the only node of a workflow, after one that gives its input.
 */
export async function runNode(options: NodeRun): Promise<NodeResult> {
	return await toResult(startNode(options).finished);
}

/** Like `runNode`, but returns the running execution. */
export function startNode(options: NodeRun): Execution {
	const { workflow, parts } = workflowOf(options);
	return execute(workflow, parts, {
		mode: options.mode,
		startNode: INPUT_NAME,
		...withExecutionId(options),
	});
}

// `StoringEngine` counts from 1.
let lastExecutionId = 1_000;

/** Options for `execute` that give an execution its ID. */
export function withExecutionId({ executionId }: Pick<NodeRun, 'executionId'>): RunOptions {
	const id = executionId === undefined ? String(++lastExecutionId) : (executionId ?? undefined);
	return { additionalData: { executionId: id } };
}

/** The action node in a workflow, after one that gives its input. */
export function workflowOf(run: NodeRun) {
	const { resource, operation, parameters, input, settings, timeZone } = run;
	const node = agentNode({ parameters: { resource, operation, ...parameters }, ...settings });
	const workflow: Pick<IWorkflowBase, 'nodes' | 'connections' | 'settings'> = {
		nodes: [createNode(INPUT_NAME, 'test.input'), node],
		connections: { [INPUT_NAME]: connectionTo(NODE_NAME) },
		settings: { timezone: timeZone },
	};
	const parts: EngineParts = {
		nodeTypes: { [AGENT_TYPE]: run.nodeType ?? new TestAgent(), 'test.input': inputNode(input) },
		credentials: credentialFor(run),
	};
	return { workflow, parts };
}

/** The connections of a node that leads to this one. */
export function connectionTo(node: string, type: NodeConnectionType = 'main'): INodeConnections {
	return { [type]: [[{ node, type, index: 0 }]] };
}

/** Waits for the end of an execution, and returns how the action node fared. */
export async function toResult(finished: Promise<IRun>): Promise<NodeResult> {
	const run = await finished;
	const task = run.data.resultData.runData[NODE_NAME]?.[0];
	const [items, errorItems] = (task?.data?.main ?? []).map((output) => output ?? []);
	return {
		items: items ?? [],
		json: (items ?? []).map(({ json }) => json),
		errorItems: errorItems ?? [],
		error: task?.error as NodeResult['error'],
		status: run.status,
		task,
		run,
	};
}

/** The action node in a workflow, with its credential. */
export function agentNode(node: Partial<INode>): INode {
	return createNode(NODE_NAME, AGENT_TYPE, node);
}

/** The filled-in credential. */
export function credentialFor({
	baseUrl,
	apiKey = 'sandbox-pro-key',
	onRequest,
}: Pick<NodeRun, 'baseUrl' | 'apiKey' | 'onRequest'>): EngineParts['credentials'] {
	const type = new BrowserAgentApi();
	const { authenticate } = type;
	type.authenticate = async (data, request) => {
		const signed = await authenticate(data, request);
		return { ...signed, ...(await onRequest?.(signed)) };
	};
	return { browserAgentApi: { type, data: { baseUrl, apiKey } } };
}

/** A node type for one test, by default with one input and one output. */
export function testNodeType(
	description: Partial<INodeTypeDescription>,
	run: (
		context: IExecuteFunctions,
		response?: EngineResponse,
	) => ReturnType<NonNullable<INodeType['execute']>>,
): INodeType {
	const ports = { inputs: ['main'], outputs: ['main'] };
	return {
		description: { properties: [], ...ports, ...description } as unknown as INodeTypeDescription,
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			return await run(this, response);
		},
	};
}

/** A node type that gives these items. */
export function inputNode(input: IDataObject[] = [{}]): INodeType {
	return testNodeType({ inputs: [] }, async () => [
		input.map((json, item) => ({ json, pairedItem: { item } })),
	]);
}

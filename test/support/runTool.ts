import '../../dev/engine/quietEngine';

import { createNode, execute, type Execution } from '../../dev/engine/engine';
import type {
	EngineRequest,
	IDataObject,
	INode,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	IRun,
} from 'n8n-workflow';

import {
	AGENT_TYPE,
	agentNode,
	connectionTo,
	credentialFor,
	INPUT_NAME,
	inputNode,
	NODE_NAME,
	testNodeType,
	withExecutionId,
	type NodeRun,
} from './runNode';
import { TestAgent } from './testRuntime';

const AI_AGENT = 'AI Agent';
const AGENT_RUN: INodeParameters = {
	resource: 'agent',
	operation: 'run',
	directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
};
const TOOL_TYPE = `${AGENT_TYPE}Tool`;

/** How n8n runs a tool: wrapped for an agent that calls it, or, for newer agents, as a node. */
export type ToolForm = 'called by the agent' | 'run by the engine';

export const TOOL_FORMS: ToolForm[] = ['called by the agent', 'run by the engine'];

/** What an AI agent does with the action node as its only tool. */
export interface ToolRun extends Pick<NodeRun, 'apiKey' | 'baseUrl' | 'executionId' | 'onRequest'> {
	form: ToolForm;
	/** Unset: Agent: Run, with the directive of the model. */
	parameters?: INodeParameters;
	/** The arguments of the calls, one after the other. */
	calls: IDataObject[];
	/** The calls are made at the same time, where the form allows it. */
	areAtOnce?: boolean;
	settings?: Partial<INode>;
	/** The node that is the tool; unset: the action node on the runtime of the test. */
	nodeType?: INodeType;
}

/** What the model reads after each call. */
interface ToolResult {
	answers: string[];
	status: IRun['status'];
}

/** Runs an AI agent that calls the action node as its tool. */
export async function runTool(options: ToolRun): Promise<ToolResult> {
	return await toToolResult(startTool(options).finished);
}

/** Like `runTool`, but returns the running execution. */
export function startTool(run: ToolRun): Execution {
	const { form, parameters, calls, areAtOnce = false, settings, nodeType = new TestAgent() } = run;
	const agent =
		form === 'run by the engine' ? requestingAgent(calls) : callingAgent(calls, areAtOnce);
	return execute(
		{
			nodes: [
				createNode(INPUT_NAME, 'test.input'),
				createNode(AI_AGENT, 'test.aiAgent'),
				agentNode({ type: TOOL_TYPE, parameters: { ...AGENT_RUN, ...parameters }, ...settings }),
			],
			connections: {
				[INPUT_NAME]: connectionTo(AI_AGENT),
				[NODE_NAME]: connectionTo(AI_AGENT, 'ai_tool'),
			},
		},
		{
			nodeTypes: {
				[TOOL_TYPE]: asTool(nodeType),
				'test.input': inputNode(),
				'test.aiAgent': agent,
			},
			credentials: credentialFor(run),
		},
		{ startNode: INPUT_NAME, ...withExecutionId(run) },
	);
}

/** Waits for the end of an execution, and returns what the model read. */
export async function toToolResult(finished: Promise<IRun>): Promise<ToolResult> {
	const { data, status } = await finished;
	const items = data.resultData.runData[AI_AGENT]?.at(-1)?.data?.main?.[0] ?? [];
	return { answers: items.map(({ json }) => String(json.answer)), status };
}

/** Turns a node with `usableAsTool` into one that can be connected to an agent, as n8n does. */
function asTool(node: INodeType): INodeType {
	const { usableAsTool, ...description } = node.description;
	if (usableAsTool === undefined) throw new Error('The node is not usable as a tool');
	const value = { ...description, inputs: [], outputs: ['ai_tool'] };
	return Object.create(node, { description: { value } }) as INodeType;
}

const AGENT_PORTS: Partial<INodeTypeDescription> = { inputs: ['main', 'ai_tool'] };

interface Tool {
	invoke(args: IDataObject): Promise<string>;
}

/**
 * Calls the tool that n8n-core has made of the node; an error's message is what the model reads.
 */
function callingAgent(calls: IDataObject[], areAtOnce: boolean): INodeType {
	return testNodeType(AGENT_PORTS, async (context) => {
		const connected = await context.getInputConnectionData('ai_tool', 0);
		const [tool] = connected as Tool[];
		if (tool === undefined) throw new Error('No tool is connected to the agent');
		const call = async (args: IDataObject) =>
			await tool.invoke(args).catch((error: Error) => error.message);

		const answers: string[] = [];
		if (areAtOnce) answers.push(...(await Promise.all(calls.map(call))));
		else for (const args of calls) answers.push(await call(args));
		return [answers.map((answer) => ({ json: { answer } }))];
	});
}

/** Asks the engine to run the tool's node, and continues when that is done. */
function requestingAgent(calls: IDataObject[]): INodeType {
	return testNodeType(AGENT_PORTS, async (_context, response) => {
		if (response === undefined || response.actionResponses.length === 0) {
			const request: EngineRequest = {
				actions: calls.map((input, call) => ({
					actionType: 'ExecutionNodeAction',
					nodeName: NODE_NAME,
					input,
					type: 'ai_tool',
					id: `call_${call}`,
					metadata: {},
				})),
				metadata: {},
			};
			return request;
		}
		const answers = response.actionResponses.map(({ data }) =>
			(data.data?.ai_tool?.[0] ?? []).map(({ json }) => json),
		);
		return [answers.map((answer) => ({ json: { answer: JSON.stringify(answer) } }))];
	});
}

import type {
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { createNode, execute } from '../../engine/engine';
import type { Subject } from './Subject';

// Old versions of n8n-workflow don't export the names of the connections.
const MAIN = 'main';
const AI_TOOL = 'ai_tool';
const AGENT = 'AI Agent';
const TOOL = 'Tool';
const TOOL_TYPE = 'n8n-nodes-browser-agent.browserAgentTool';

/** Runs the action node as a tool that an agent calls once; returns what the model reads. */
export async function callTool(
	subject: Subject,
	parameters: INodeParameters,
	args: IDataObject,
): Promise<string> {
	const parts = subject.parts({
		[TOOL_TYPE]: asTool(subject.classes.agent),
		agent: agentCalling(args),
	});
	const nodes = [createNode(AGENT, 'agent'), createNode(TOOL, TOOL_TYPE, { parameters })];
	const connections: IConnections = {
		[TOOL]: { [AI_TOOL]: [[{ node: AGENT, type: AI_TOOL, index: 0 }]] },
	};
	const { data } = await execute({ nodes, connections }, parts, { startNode: AGENT }).finished;
	const { error } = data.resultData;
	if (error) throw error;
	return String(data.resultData.runData[AGENT]?.at(-1)?.data?.main?.[0]?.[0]?.json.answer);
}

/** The form that n8n gives a node with `usableAsTool` so that it can be connected to an agent. */
function asTool(node: INodeType): INodeType {
	const { name, displayName, ...description } = node.description;
	return Object.create(node, {
		description: {
			value: {
				...description,
				name: `${name}Tool`,
				displayName: `${displayName} Tool`,
				inputs: [],
				outputs: [AI_TOOL],
			},
		},
	}) as INodeType;
}

/** An agent that calls its tool with these arguments. */
function agentCalling(args: IDataObject): INodeType {
	return {
		description: {
			displayName: AGENT,
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: AGENT,
			defaults: { name: AGENT },
			inputs: [MAIN, AI_TOOL],
			outputs: [MAIN],
			properties: [],
		} satisfies INodeTypeDescription,
		async execute(this: IExecuteFunctions) {
			const connected = await this.getInputConnectionData(AI_TOOL, 0);
			const [tool] = connected as Array<{ invoke(args: IDataObject): Promise<string> }>;
			const answer = await tool?.invoke(args).catch((error: Error) => error.message);
			return [[{ json: { answer } }]];
		},
	};
}

import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { execute, type EngineParts } from '../../engine/engine';
import { agentNode } from './engineParts';

/** Runs a workflow of one node; returns its items. Throws if the execution fails. */
export async function runOne(
	node: INode,
	parts: EngineParts,
	input: IDataObject[],
): Promise<INodeExecutionData[]> {
	const items = input.map((json, item) => ({ json, pairedItem: { item } }));
	const { finished } = execute({ nodes: [node], connections: {} }, parts, { input: items });
	const { data, status } = await finished;
	const error = data.resultData.error;
	if (status !== 'success') throw new Error(`${status}: ${error?.message} ${error?.description}`);
	return data.resultData.runData[node.name]?.[0]?.data?.main?.[0] ?? [];
}

/** Runs what the engine loads on its first execution; makes no call that is rate-limited. */
export async function warmUp(parts: EngineParts): Promise<void> {
	const health = agentNode({ resource: 'service', operation: 'getHealth' });
	await runOne(health, parts, [{}, {}, {}]);
}

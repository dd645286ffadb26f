import type { INode, INodeExecutionData } from 'n8n-workflow';

import { execute, type EngineParts } from '../../engine/engine';

/** Runs a workflow of one node. Throws if the execution fails. */
export async function runOne(
	node: INode,
	parts: EngineParts,
	input: INodeExecutionData[] = [{ json: {}, pairedItem: { item: 0 } }],
): Promise<void> {
	const { finished } = execute({ nodes: [node], connections: {} }, parts, { input });
	const { data, status } = await finished;
	const { error } = data.resultData;
	if (status !== 'success') throw new Error(`${status}: ${error?.message} ${error?.description}`);
}

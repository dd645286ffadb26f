import type { IDataObject, INode, INodeExecutionData, IWorkflowBase } from 'n8n-workflow';

import { execute, type EngineParts } from '../../engine/engine';

/** Runs a workflow of one node; returns its items. Throws if the execution fails. */
export async function runOne(
	node: INode,
	parts: EngineParts,
	input: IDataObject[],
): Promise<INodeExecutionData[]> {
	return await runWorkflow({ nodes: [node], connections: {} }, parts, input, node.name);
}

/** Runs a workflow from its first node; returns the items of all runs of the node `last`. */
export async function runWorkflow(
	workflow: Pick<IWorkflowBase, 'nodes' | 'connections'>,
	parts: EngineParts,
	input: IDataObject[],
	last: string,
): Promise<INodeExecutionData[]> {
	const { finished } = execute(workflow, parts, {
		input: input.map((json, item) => ({ json, pairedItem: { item } })),
		startNode: workflow.nodes[0]?.name,
	});
	const { data, status } = await finished;
	const error = data.resultData.error;
	if (status !== 'success') throw new Error(`${status}: ${error?.message} ${error?.description}`);
	return (data.resultData.runData[last] ?? []).flatMap((task) => task.data?.main?.[0] ?? []);
}

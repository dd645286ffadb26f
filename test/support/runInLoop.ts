import type { IDataObject } from 'n8n-workflow';

import { createNode, execute } from '../../dev/engine/engine';
import {
	connectionTo,
	INPUT_NAME,
	NODE_NAME,
	testNodeType,
	workflowOf,
	type NodeRun,
} from './runNode';

/** Runs the node this many times, in a loop of the workflow; returns the first item of each run. */
export async function runInLoop(
	run: NodeRun,
	times: number,
): Promise<Array<IDataObject | undefined>> {
	let runs = 0;
	const again = testNodeType({}, async () => [++runs < times ? [{ json: {} }] : []]);
	const { workflow, parts } = workflowOf(run);
	workflow.nodes.push(createNode('Again', 'test.again'));
	workflow.connections[NODE_NAME] = connectionTo('Again');
	workflow.connections.Again = connectionTo(NODE_NAME);
	parts.nodeTypes['test.again'] = again;

	const { data } = await execute(workflow, parts, { startNode: INPUT_NAME }).finished;
	const tasks = data.resultData.runData[NODE_NAME] ?? [];
	return tasks.map((task) => task.data?.main?.[0]?.[0]?.json);
}

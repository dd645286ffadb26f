import type { INodeProperties, INodeType } from 'n8n-workflow';

import { testNodeType } from './runNode';
import { currentClock } from './testRuntime';

/**
 * Simple versions of the n8n nodes that the sub-workflow of a suspended wait uses. `onWait` is
 * called with the seconds of each wait. The Wait node uses the clock of the test.
 */
export function subWorkflowNodes(onWait: (seconds: number) => void): Record<string, INodeType> {
	return {
		'n8n-nodes-base.executeWorkflowTrigger': testNodeType(
			{ inputs: [], properties: [property('inputSource', 'options')] },
			async (context) => [context.getInputData()],
		),
		'n8n-nodes-base.wait': testNodeType(
			{
				properties: [
					property('resume', 'options'),
					property('amount', 'number'),
					property('unit', 'options'),
				],
			},
			async (context) => {
				const seconds = context.getNodeParameter('amount', 0) as number;
				onWait(seconds);
				// n8n takes the time twice here, and waits for less than 65 s in the process:
				// test/e2e/suspendedWait.test.ts shows that ours are stored.
				if (seconds <= 65) throw new Error(`n8n would hold the worker for ${seconds} s`);
				await context.putExecutionToWait(new Date(currentClock().now() + seconds * 1000));
				return [context.getInputData()];
			},
		),
		'n8n-nodes-base.if': testNodeType(
			{
				outputs: ['main', 'main'],
				properties: [property('conditions', 'filter')],
			},
			async (context) => {
				const isTrue = context.getNodeParameter('conditions', 0, false, { extractValue: true });
				return isTrue === true ? [context.getInputData(), []] : [[], context.getInputData()];
			},
		),
	};
}

function property(name: string, type: INodeProperties['type']): INodeProperties {
	return { displayName: name, name, type, default: '' };
}

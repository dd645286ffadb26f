import {
	WAIT_FOR_SUB_EXECUTION,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { currentClock } from '../../async/clock';
import { toTravellingItem, type DurableState, type StoredItem } from './state';
import { createSubWorkflow } from './subWorkflow';

/**
 * Whether n8n can keep a wait for this execution: it has to know of waiting for a sub-workflow, and
 * the execution has to be one that it stores. As a tool of an agent, a node cannot wait.
 */
export function canHandOver(context: IExecuteFunctions, isTool: boolean): boolean {
	// Older versions of n8n have no such name.
	const isKnown = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;
	return isKnown && !isTool && Boolean(context.getExecutionId() && context.getWorkflow().id);
}

/**
 * Hands the waits to n8n's own engine and returns at once, with the jobs that are waited for. n8n
 * replaces that by what the sub-workflow gives, when that ends, minutes or hours later.
 * Throws what n8n throws when it cannot do so; nothing is waiting then.
 */
export async function handOver(
	context: IExecuteFunctions,
	items: StoredItem[],
	startedJobIds: string[],
): Promise<INodeExecutionData[]> {
	const now = currentClock().now();
	const { id, name } = context.getNode();
	const state: DurableState = {
		items,
		goesOn: context.continueOnFail(),
		startedJobIds,
		node: { id, name },
		parentExecutionId: context.getExecutionId(),
		since: now,
	};
	const travelling = toTravellingItem(state, now);

	const { data, waitTill } = await context.executeWorkflow(
		{ code: createSubWorkflow(context.getNode(), state.goesOn) },
		[{ json: travelling as unknown as IDataObject }],
		undefined,
		{
			parentExecution: {
				executionId: state.parentExecutionId,
				workflowId: context.getWorkflow().id ?? '',
				shouldResume: true,
			},
			executionMode: context.getMode(),
		},
	);
	const isWaiting = waitTill !== undefined && waitTill !== null;
	return isWaiting ? items.flatMap(toWaitingItem) : (data[0] ?? []);
}

// Not the node's input: with `error` in it, n8n's Retry On Fail would run the node again.
function toWaitingItem(item: StoredItem, index: number): INodeExecutionData[] {
	if (!('handedOver' in item)) return [];
	const json = { job_id: item.handedOver.watched.jobId, is_finished: false };
	return [{ json, pairedItem: { item: index } }];
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { waitForItem } from '../operations/waitForItem';
import type { Run, RunningItem, SettledItem } from '../types';
import { createSubWorkflow } from './createSubWorkflow';
import { hintNotSuspended, readTimeoutSeconds } from './createSuspension';
import { watchInnerExecution } from './innerExecution';
import { limitWaits } from './limitWaits';
import { jobIdsIn, suspendedIn, toRunState, type SuspendedState } from './state';
import { limiterOf, toShownJob, toSuspendedJson } from './suspendedJson';

/**
 * Passes the waits to n8n's own engine and returns the jobs that are waited for, which n8n replaces
 * by what the sub-workflow returns later. Undefined if n8n can't do so.
 */
export async function suspend(
	run: Run,
	settled: SettledItem[],
): Promise<INodeExecutionData[] | undefined> {
	try {
		return await startSubWorkflow(run, settled);
	} catch (error) {
		run.logger.warn(`Browser Agent: n8n could not suspend the execution: ${messageOf(error)}`);
		hintNotSuspended(run.context);
		return undefined;
	}
}

/** Continues a suspended wait in this process. */
export function toContinued(item: SettledItem): RunningItem | SettledItem {
	const { itemIndex, outcome } = item;
	if (outcome.kind !== 'suspended' || outcome.session === undefined) return item;
	const { session, wait, itemOptions } = outcome;
	const continued = { ...session, waitSignal: session.signal };
	const execute = async () => await waitForItem(continued, wait, itemOptions);
	// No limit: until now, all of them were waited for at the same time.
	return { itemIndex, session: continued, maxParallel: Infinity, waits: true, execute };
}

async function startSubWorkflow(run: Run, settled: SettledItem[]): Promise<INodeExecutionData[]> {
	const { context, clock, continueOnFail } = run;
	const node = context.getNode();
	const executionId = context.getExecutionId();
	const state: SuspendedState = {
		...toRunState(run, settled),
		continueOnFail,
		node: { id: node.id, name: node.name },
		parentExecutionId: executionId,
		timeoutSeconds: readTimeoutSeconds(context),
		suspendedAt: clock.now(),
	};
	// An estimate: each round corrects it by the time at which n8n says the execution began.
	limitWaits(state, run.beganAt);
	const json = toSuspendedJson(state, clock.now(), limiterOf(settled)) as unknown as IDataObject;
	const started = await context.executeWorkflow(
		{ code: createSubWorkflow(node, jobIdsIn(state), executionId) },
		[{ json }],
		undefined,
		{
			parentExecution: {
				executionId,
				workflowId: context.getWorkflow().id ?? '',
				shouldResume: true,
			},
			executionMode: context.getMode(),
		},
	);
	if (!started.waitTill) return started.data[0] ?? [];
	watchInnerExecution(run, started.executionId);
	return toWaitingItems(state);
}

// Returning the node's input could make n8n's Retry On Fail run the node again: it may have an
// `error`.
function toWaitingItems(state: SuspendedState): INodeExecutionData[] {
	return suspendedIn(state).map((item) => ({
		json: toShownJob(item),
		pairedItem: { item: item.itemIndex },
	}));
}

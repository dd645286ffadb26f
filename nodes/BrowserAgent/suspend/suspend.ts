import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { waitForItem } from '../operations/finishItem';
import type { ItemOutcome, ReadyItem, Run } from '../types';
import { createSubWorkflow } from './createSubWorkflow';
import { readTimeoutSeconds } from './createSuspension';
import { jobIdsIn, suspendedIn, toRunState, STATE_VERSION, type SuspendedState } from './state';
import { limiterOf, toJobSummary, toSuspendedJson } from './suspendedJson';
import { capDeadlines } from './timing';
import { watchInnerExecution } from './watchInnerExecution';

/**
 * Suspends the execution: starts a sub-workflow that holds the waits, and returns placeholder
 * items, which n8n replaces with the sub-workflow's output. If n8n refuses, e.g. because its Wait
 * node is excluded, shows the user a hint and returns undefined. Never rejects.
 */
export async function suspend(
	run: Run,
	outcomes: ItemOutcome[],
): Promise<INodeExecutionData[] | undefined> {
	try {
		return await startSubWorkflow(run, outcomes);
	} catch (error) {
		run.logger.warn(`Browser Agent: n8n could not suspend the execution: ${messageOf(error)}`);
		run.showHint(
			"n8n could not suspend the execution, so it keeps running while it waits. n8n's log says why.",
		);
		return undefined;
	}
}

/**
 * Turns a suspended wait of this run into an item that continues the wait in this process; returns
 * any other item unchanged.
 */
export function continueInProcess(item: ItemOutcome): ReadyItem | ItemOutcome {
	const { itemIndex, outcome } = item;
	if (outcome.kind !== 'suspended' || outcome.session === undefined) return item;
	const { session, wait, itemOptions } = outcome;
	const continued = { ...session, waitSignal: session.signal };
	const execute = async () => await waitForItem(continued, wait, itemOptions);
	// No limit is needed: all these waits were in progress at the same time before.
	return { itemIndex, session: continued, maxParallel: Infinity, waitsForEnd: true, execute };
}

async function startSubWorkflow(run: Run, outcomes: ItemOutcome[]): Promise<INodeExecutionData[]> {
	const { context, clock, continueOnFail } = run;
	const node = context.getNode();
	const executionId = context.getExecutionId();
	const state: SuspendedState = {
		version: STATE_VERSION,
		...toRunState(run, outcomes),
		continueOnFail,
		node: { id: node.id, name: node.name },
		suspendedExecutionId: executionId,
		timeoutSeconds: readTimeoutSeconds(context),
		suspendedAt: clock.now(),
	};
	// An estimate: each round uses n8n's own record of when the execution began.
	capDeadlines(state, run.startedAt);
	const json = toSuspendedJson(state, clock, limiterOf(outcomes)) as unknown as IDataObject;
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

// The node's input is not returned in place of these: it may have an `error`, which makes Retry On
// Fail run the node again.
function toWaitingItems(state: SuspendedState): INodeExecutionData[] {
	return suspendedIn(state).map((item) => ({
		json: toJobSummary(item),
		pairedItem: { item: item.itemIndex },
	}));
}

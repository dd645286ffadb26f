import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import type { ReadyItem } from '../connectItems';
import { finishJob } from '../operations/finishJob';
import { isSuspended, type Run, type RunResult } from '../run';
import { runItems } from '../runItems';
import { toOutput } from '../toOutput';
import { hintNotSuspended } from './createSuspension';
import { toStoredGuard } from './guardRound';
import {
	openWaits,
	toShownJob,
	toStoredResults,
	toSuspendedJson,
	type SuspendedState,
} from './state';
import { createSubWorkflow } from './subWorkflow';

/**
 * Passes the waits of a run to n8n's own engine and returns at once, with the jobs that are waited for:
 * n8n replaces that by what the sub-workflow returns, minutes or hours later. If n8n can't do so, the
 * waits continue in this process.
 */
export async function suspend(run: Run, results: RunResult[]): Promise<INodeExecutionData[]> {
	try {
		return await startSubWorkflow(run, results);
	} catch (error) {
		run.logger.warn(`Browser Agent: n8n could not suspend the execution: ${messageOf(error)}`);
		hintNotSuspended(run.context);
	}
	return toOutput(run, await runItems(run, results.map(toContinued)));
}

function toContinued(one: RunResult): ReadyItem {
	if (!isSuspended(one.result)) return one;
	const { suspended } = one.result;
	const item = { ...suspended.item, suspendSignal: undefined };
	const run = async () => await finishJob({ ...suspended, item });
	// As many at a time as until now.
	return { itemIndex: one.itemIndex, item, prepared: { maxParallel: Infinity, run } };
}

async function startSubWorkflow(run: Run, results: RunResult[]): Promise<INodeExecutionData[]> {
	const { context, clock, continueOnFail, ledger } = run;
	const node = context.getNode();
	const executionId = context.getExecutionId();
	const state: SuspendedState = {
		results: toStoredResults(results, clock),
		continueOnFail,
		startedJobIds: ledger.startedJobIds,
		node: { id: node.id, name: node.name },
		parentExecutionId: executionId,
		suspendedDate: clock.date(),
		guard: toStoredGuard(results, clock),
	};
	const jobIds = openWaits(state).map(({ jobId }) => jobId);
	const json = toSuspendedJson(state, clock.date()) as unknown as IDataObject;
	const { data, waitTill } = await context.executeWorkflow(
		{ code: createSubWorkflow(node, jobIds, continueOnFail) },
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
	const isWaiting = waitTill !== undefined && waitTill !== null;
	return isWaiting ? toWaitingItems(state) : (data[0] ?? []);
}

// Not the node's input: with `error` in it, n8n's Retry On Fail would run the node again.
function toWaitingItems({ results }: SuspendedState): INodeExecutionData[] {
	return results.flatMap((one) =>
		'wait' in one ? [{ json: toShownJob(one.wait), pairedItem: { item: one.itemIndex } }] : [],
	);
}

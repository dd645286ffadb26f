import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { finishJob } from '../operations/finishJob';
import { runItems } from '../runItems';
import { toOutput } from '../toOutput';
import type { ItemResult, Run, RunningItem } from '../types';
import { hintNotSuspended } from './createSuspension';
import { toDate } from './dates';
import type { SuspendedState } from './state';
import { toStoredEntries } from './storedEntries';
import { toStoredResults } from './storedResults';
import { createSubWorkflow } from './subWorkflow';
import { openWaits, toShownJob, toSuspendedJson } from './suspendedJson';

/**
 * Passes the waits that are to be suspended to n8n's own engine and returns at once, with the jobs that
 * are waited for: n8n replaces that by what the sub-workflow returns, minutes or hours later. If n8n
 * can't do so, the waits continue in this process. Undefined if no wait is to be suspended.
 */
export async function suspend(
	run: Run,
	results: ItemResult[],
): Promise<INodeExecutionData[] | undefined> {
	if (!results.some(({ outcome }) => 'suspended' in outcome)) return undefined;
	try {
		return await startSubWorkflow(run, results);
	} catch (error) {
		run.logger.warn(`Browser Agent: n8n could not suspend the execution: ${messageOf(error)}`);
		hintNotSuspended(run.context);
	}
	return toOutput(run, await runItems(run, results.map(toContinued)));
}

function toContinued(result: ItemResult): RunningItem | ItemResult {
	const { itemIndex, outcome } = result;
	if (!('suspended' in outcome)) return result;
	const { wait, options } = outcome.suspended;
	const context = {
		...outcome.suspended.context,
		waitSignal: outcome.suspended.context.credits.signal,
	};
	const run = async () => await finishJob(context, wait, options);
	// As many at a time as until now.
	return { itemIndex, context, maxParallel: Infinity, run };
}

async function startSubWorkflow(run: Run, results: ItemResult[]): Promise<INodeExecutionData[]> {
	const { context, clock, continueOnFail, ledger } = run;
	const node = context.getNode();
	const executionId = context.getExecutionId();
	const stored = toStoredResults(results, clock);
	// All items have the same account.
	const [credits] = results.flatMap(({ outcome }) =>
		'suspended' in outcome ? outcome.suspended.context.credits : [],
	);
	const { threshold, lastReadAt = 0 } = credits ?? {};
	const state: SuspendedState = {
		results: stored,
		entries: toStoredEntries(ledger, stored, clock),
		continueOnFail,
		node: { id: node.id, name: node.name },
		parentExecutionId: executionId,
		suspendedDate: clock.date(),
		credits:
			threshold === undefined ? undefined : { threshold, lastReadDate: toDate(lastReadAt, clock) },
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
function toWaitingItems(state: SuspendedState): INodeExecutionData[] {
	return state.results.flatMap(({ itemIndex: item, outcome }) =>
		'wait' in outcome
			? [{ json: toShownJob(outcome.wait.jobId, state), pairedItem: { item } }]
			: [],
	);
}

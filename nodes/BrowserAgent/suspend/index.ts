import {
	WAIT_FOR_SUB_EXECUTION,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { NodeFailure, stoppedError } from '../../errors/NodeFailure';
import { messageOf } from '../../errors/ServiceError';
import { idsIn } from '../../jobs/TrackedJob';
import { isOpen, jobsOf, type Item, type Run, type SuspendedResult } from '../Run';
import { waitForResult } from '../runJob';
import { capDeadlines, secondsToNextRound, suspendLater, toRoundPlan } from './schedule';
import { logUnexpectedErrors, suspendedItems, toState, toSummary, toSuspendedJson } from './state';
import { createSubWorkflow, SUSPEND_STEP } from './subWorkflow';
import { watchInnerExecution } from './watch';

export { runRound } from './round';

const NOT_SUSPENDED =
	"'Suspend While Waiting' is not available here, so the execution was not suspended. It needs a saved workflow and n8n 2.41 or newer, and doesn't work in AI Agent tools or evaluations.";

/** Whether this run of the node is a round of status checks in a sub-workflow of ours. */
export function isRound(context: IExecuteFunctions): boolean {
	return context.getNodeParameter('suspendStep', 0, '') === SUSPEND_STEP;
}

/**
 * Lets the waits of a run be suspended if all its open items that wait have the option on;
 * `suspendLater` says when they are. If the credential or the pairing of items forbids it, although
 * n8n could do it, these items get an error as their result.
 *
 * Shows the user a hint, and lets them stay in this process,
 * - if only some of the waiting items should be suspended,
 * - if the node is a tool or is evaluated, or if n8n can't suspend this execution, which requires a
 *   saved workflow and a version of n8n that can wait for a sub-workflow.
 */
export async function prepareSuspension(run: Run): Promise<void> {
	const open = run.items.filter(isOpen);
	const waiting = open.flatMap(({ task }) => task?.job?.options ?? []);
	if (!waiting.some(({ suspends }) => suspends)) return;
	// n8n suspends only whole executions, so the other items could not wait in this process.
	if (!waiting.every(({ suspends }) => suspends)) {
		run.showHint(
			"'Suspend While Waiting' is off for some items, so the execution was not suspended.",
		);
		return;
	}
	if (!canSuspend(run)) {
		run.showHint(NOT_SUSPENDED);
		return;
	}
	const error = await obstacleTo(run);
	if (error === undefined) {
		run.suspension = suspendLater(run, open.length, readTimeoutSeconds(run.context));
		return;
	}
	for (const item of open) {
		if (item.task?.job?.options?.suspends) item.results = [{ kind: 'failed', error }];
	}
}

function canSuspend({ context, executionId, isTool }: Run): boolean {
	// Versions of n8n that can't wait for a sub-workflow don't export it.
	const canWait = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;
	const isStored = executionId !== '' && Boolean(context.getWorkflow().id);
	// An evaluation compares outputs, and a suspended execution has none yet.
	return canWait && isStored && !isTool && context.getMode() !== 'evaluation';
}

/**
 * Returns the timeout in the workflow's settings, in s; undefined if there is none, or only n8n's
 * own, which is unknown.
 */
function readTimeoutSeconds(context: IExecuteFunctions): number | undefined {
	const { executionTimeout = 0 } = context.getWorkflowSettings();
	return executionTimeout > 0 ? executionTimeout : undefined;
}

/** Returns why the waits can't be suspended, although n8n could do so; undefined if they can be. */
async function obstacleTo(run: Run): Promise<NodeFailure | undefined> {
	const { clients, context, items } = run;
	// In the sub-workflow, n8n resolves the credential again, without the items.
	if (!(await clients.resolvesToOneAccount(items.length))) {
		return new NodeFailure(
			"'Suspend While Waiting' can't be used with a credential that depends on the item",
			{
				description:
					'This run has started nothing. Turn the option off, or use a credential without expressions. If it has none, n8n could not load it just now: try again.',
			},
		);
	}
	// After a suspension, n8n pairs results with input items by position. With the node's error
	// output, a result that has no input item ends the execution.
	const inputs = context.getInputData().length;
	const needsOneResultPerInput = inputs > 1 || context.getNode().onError === 'continueErrorOutput';
	if (items.length === inputs || !needsOneResultPerInput) return undefined;
	return new NodeFailure(
		"'Suspend While Waiting' can't be used with several IDs in 'Job ID' if the node has several input items or an error output",
		{
			description:
				"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
		},
	);
}

/**
 * Suspends the execution if waits of the run ended as suspended: starts a sub-workflow that holds
 * them, and returns placeholder items, which n8n replaces with the sub-workflow's output; returns
 * that output if the sub-workflow has ended at once. Returns undefined if no wait is suspended, or
 * if n8n can't suspend the execution, e.g. because its Wait node is excluded: then a hint says so,
 * and the waiting items are open again, to wait in this process. Throws if the execution was
 * stopped.
 */
export async function suspendWaits(run: Run): Promise<INodeExecutionData[] | undefined> {
	if (suspendedItems(run).length === 0) return undefined;
	const placeholders = await tryToSuspend(run);
	// n8n doesn't suspend an execution that was stopped meanwhile, and may not store an error of it
	// either, in which the inner execution would see the Stop.
	if (run.lifetime.stopped.aborted) throw stoppedError('the node stopped waiting for its jobs');
	if (placeholders !== undefined) return placeholders;

	run.suspension = undefined;
	for (const { item, suspended } of suspendedItems(run)) reopen(item, suspended);
	return undefined;
}

async function tryToSuspend(run: Run): Promise<INodeExecutionData[] | undefined> {
	try {
		return await startSubWorkflow(run);
	} catch (error) {
		run.logger.warn(`Browser Agent: n8n could not suspend the execution: ${messageOf(error)}`);
		run.showHint(
			"n8n could not suspend the execution, so it keeps running while it waits. n8n's log says why.",
		);
		return undefined;
	}
}

async function startSubWorkflow(run: Run): Promise<INodeExecutionData[]> {
	const { context, executionId } = run;
	// Measured from when this node began. Rounds learn from n8n when the execution did.
	const startedAt = run.clock.now() - (run.clock.elapsed() - run.beganAt);
	const state = capDeadlines(toState(run, readTimeoutSeconds(context)), startedAt);
	const seconds = secondsToNextRound(toRoundPlan(run, state, true));
	const json = toSuspendedJson(run, state, seconds) as unknown as IDataObject;
	const jobIds = idsIn(suspendedItems(run).flatMap(({ item }) => jobsOf(item)));
	const started = await context.executeWorkflow(
		{ code: createSubWorkflow(context.getNode(), jobIds, run.clock.now()) },
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
	logUnexpectedErrors(run);
	if (!started.waitTill) return started.data[0] ?? [];
	watchInnerExecution(run, started.executionId, 0);
	// The node's input is not returned in place of the placeholders: it may have an `error`, which
	// makes Retry On Fail run the node again.
	return suspendedItems(run).map(({ item }) => ({
		json: toSummary(item),
		pairedItem: { item: item.index },
	}));
}

/** Reopens a suspended item, so that it continues to wait in this process. */
function reopen(item: Item, suspended: SuspendedResult): void {
	if (item.task === undefined) return;
	item.results = undefined;
	item.task = {
		...item.task,
		// No limit is needed: all these waits were in progress at the same time before.
		maxParallel: Infinity,
		execute: async (work) => [await waitForResult(work, suspended)],
	};
}

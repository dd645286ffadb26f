import { WAIT_FOR_SUB_EXECUTION, type IExecuteFunctions } from 'n8n-workflow';

import { anySignal } from '../../async/abortSignals';
import { UserError } from '../../errors/UserError';
import {
	hasOutcome,
	type ItemOutcome,
	type PreparedItem,
	type Run,
	type Suspension,
} from '../types';
import { MIN_LEFT_OF_TIMEOUT_MS, WAIT_IN_PROCESS_MS } from './timing';

const NOT_SUSPENDED =
	"'Suspend While Waiting' is not available here, so the execution was not suspended. It needs a saved workflow and n8n 2.41 or newer, and doesn't work in AI Agent tools or evaluations.";

/**
 * Creates the `Suspension` of a run. It suspends the waits a minute after the run began or, if that
 * is later, once the last wait has begun, unless the workflow's own timeout is too close. Returns
 * undefined if no item should be suspended. Also returns undefined, and shows the user a hint,
 * - if only some of the waiting items should be suspended,
 * - if the node is a tool or is evaluated, or if n8n can't suspend this execution, which requires a
 *   saved workflow and a version of n8n that can wait for a sub-workflow.
 *
 * `signal` is aborted when the run ends.
 */
export function createSuspension(
	context: IExecuteFunctions,
	prepared: Array<PreparedItem | ItemOutcome>,
	{ clock, signal, isTool, showHint }: Pick<Run, 'clock' | 'signal' | 'isTool' | 'showHint'>,
): Suspension | undefined {
	const waiting = prepared
		.filter((item) => !hasOutcome(item))
		.filter(({ waitsForEnd }) => waitsForEnd);
	if (!waiting.some(({ suspends }) => suspends)) return undefined;
	// While the others wait in this process, nobody would watch a suspended wait.
	if (!waiting.every(({ suspends }) => suspends)) {
		showHint("'Suspend While Waiting' is off for some items, so the execution was not suspended.");
		return undefined;
	}
	// Versions of n8n that can't wait for a sub-workflow don't export it.
	const canWait = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;
	const isStored = Boolean(context.getExecutionId() && context.getWorkflow().id);
	// An evaluation compares the output of runs that end by themselves.
	const isEvaluation = context.getMode() === 'evaluation';
	if (!canWait || !isStored || isTool || isEvaluation) {
		showHint(NOT_SUSPENDED);
		return undefined;
	}

	const suspend = new AbortController();
	const suspendAt = clock.now() + WAIT_IN_PROCESS_MS;
	const timeoutSeconds = readTimeoutSeconds(context) ?? Infinity;
	const latestAt = clock.now() + timeoutSeconds * 1000 - MIN_LEFT_OF_TIMEOUT_MS;
	return {
		waitSignal: anySignal(signal, suspend.signal),
		suspendWaitsLater() {
			const leftMs = Math.max(0, suspendAt - clock.now());
			void clock.sleep(leftMs, signal).then(() => {
				if (clock.now() <= latestAt) suspend.abort();
			});
		},
	};
}

/**
 * Returns the timeout in the workflow's settings, in s; undefined if there is none, or only n8n's
 * own, which is unknown.
 */
export function readTimeoutSeconds(context: IExecuteFunctions): number | undefined {
	const { executionTimeout = 0 } = context.getWorkflowSettings();
	return executionTimeout > 0 ? executionTimeout : undefined;
}

/**
 * Returns why the waits can't be suspended, although n8n could do so; undefined if they can be.
 * `itemCount`: the number of prepared items.
 */
export async function suspensionObstacle(
	run: Run,
	itemCount: number,
): Promise<UserError | undefined> {
	// In the sub-workflow, n8n resolves the credential again, without the items.
	if (!(await run.clients.resolvesToOneAccount(itemCount))) {
		return new UserError(
			"'Suspend While Waiting' can't be used with a credential that depends on the item",
			{
				description:
					'Nothing was started. Turn the option off, or use a credential without expressions.',
			},
		);
	}
	// After a suspension, n8n pairs results with input items by position. With the node's error
	// output, a result that has no input item ends the execution.
	const inputs = run.context.getInputData().length;
	const needsOneResultPerInput =
		inputs > 1 || run.context.getNode().onError === 'continueErrorOutput';
	if (itemCount === inputs || !needsOneResultPerInput) return undefined;
	return new UserError(
		"'Suspend While Waiting' can't be used with several IDs in 'Job ID' if the node has several input items or an error output",
		{
			description:
				"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
		},
	);
}

import { WAIT_FOR_SUB_EXECUTION, type IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../async/clock';
import { showHint } from '../showHint';

/** Suspends the waits of a run. */
export interface Suspension {
	/** Aborted when the waits are to be suspended. */
	signal: AbortSignal;
	/** Call it when the last wait begins: until then, 'Max Parallel Jobs' delays the items that follow. */
	schedule(): void;
}

// Most jobs end within it, and need no database.
const WAIT_IN_PROCESS_MS = 60_000;
// Until the first check of a suspended wait, and to end it in time: see `limitWaits`.
const MIN_LEFT_MS = 100_000;

/**
 * Suspends the waits a minute after the beginning, or when the last one has begun, unless the workflow's own
 * time-out is too close. Undefined if n8n can't suspend this execution: it needs a saved workflow and a version
 * that knows waiting for a sub-workflow, and a tool can't wait. `runSignal` ends it with the run.
 */
export function createSuspension(
	context: IExecuteFunctions,
	clock: Clock,
	runSignal: AbortSignal,
	isTool: boolean,
): Suspension | undefined {
	// Older versions of n8n don't export it.
	const isKnown = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;
	const isStored = Boolean(context.getExecutionId() && context.getWorkflow().id);
	if (!isKnown || !isStored || isTool) {
		hintNotSuspended(context);
		return undefined;
	}

	const suspend = new AbortController();
	const suspendAt = clock.now() + WAIT_IN_PROCESS_MS;
	const timeoutSeconds = readTimeoutSeconds(context) ?? Infinity;
	const latestAt = clock.now() + timeoutSeconds * 1000 - MIN_LEFT_MS;
	return {
		signal: suspend.signal,
		schedule() {
			const leftMs = Math.max(0, suspendAt - clock.now());
			void clock.sleep(leftMs, runSignal).then(() => {
				if (clock.now() <= latestAt) suspend.abort();
			});
		},
	};
}

/** The time-out in the workflow's settings; undefined: none, or n8n's own, which is unknown. */
export function readTimeoutSeconds(context: IExecuteFunctions): number | undefined {
	const { executionTimeout = 0 } = context.getWorkflowSettings();
	return executionTimeout > 0 ? executionTimeout : undefined;
}

/** Shows the user a hint that the wait was not suspended. */
export function hintNotSuspended(context: IExecuteFunctions): void {
	showHint(
		context,
		"'Suspend While Waiting' is not available here, so the execution was not suspended. It needs a saved workflow and a newer version of n8n, and is not available for AI Agent tools.",
	);
}

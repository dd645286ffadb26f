import { waitsIn, type SuspendedState } from './state';

// The last poll, a pause, and n8n's own part until it resumes the suspended execution.
const MARGIN_MS = 30_000;

/**
 * Makes the time-out in the suspended workflow's settings a deadline of its waits: n8n counts it from the
 * beginning of the execution, and cancels an execution that it resumes later, with all its results.
 */
export function limitWaits(state: SuspendedState, executionStart: number): void {
	if (state.timeoutSeconds === undefined) return;
	const limit = executionStart + state.timeoutSeconds * 1000 - MARGIN_MS;
	for (const { wait } of waitsIn(state)) {
		if (wait.deadline <= limit) continue;
		wait.deadline = limit;
		wait.isLimitedByWorkflow = true;
	}
}

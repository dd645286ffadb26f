import { waitsIn, type SuspendedState } from './state';
import { ENDING_MS } from './timing';

/**
 * Lets no wait last longer than the workflow's timeout: n8n would cancel an execution that it
 * resumes after that, and its output would be lost.
 */
export function limitWaits(state: SuspendedState, executionStart: number): void {
	if (state.timeoutSeconds === undefined) return;
	const limit = executionStart + state.timeoutSeconds * 1000 - ENDING_MS;
	for (const { wait } of waitsIn(state)) {
		if (wait.deadline <= limit) continue;
		wait.deadline = limit;
		wait.isLimitedByWorkflow = true;
	}
}

import { waitsIn, type SuspendedState } from './state';
import { ENDING_MS } from './timing';

/**
 * Caps the deadlines of all waits in `state` at the timeout of the workflow, if it has one: n8n
 * would cancel an execution that it resumes later, and the output would be lost. `startedAt`:
 * when the suspended execution began, a timestamp in ms.
 */
export function capDeadlines(state: SuspendedState, startedAt: number): void {
	if (state.timeoutSeconds === undefined) return;
	const limit = startedAt + state.timeoutSeconds * 1000 - ENDING_MS;
	for (const { wait } of waitsIn(state)) {
		if (wait.deadline <= limit) continue;
		wait.deadline = limit;
		wait.isLimitedByWorkflow = true;
	}
}

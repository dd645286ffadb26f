import { messageOf } from '../../errors/ServiceError';
import type { Run } from '../types';
import { waitsIn, type SuspendedState } from './state';
import { ENDING_MS } from './timing';

/**
 * Whether the suspended execution was stopped or deleted and, as far as n8n tells, when it began.
 */
export async function readParent(
	{ context, logger }: Run,
	{ parentExecutionId }: SuspendedState,
): Promise<{ isGone: boolean; startDate?: number }> {
	try {
		const parent = await context.getExecutionDataById(parentExecutionId);
		if (parent === undefined) return { isGone: true };
		const { error, runData } = parent.resultData;
		const startDates = Object.values(runData).flatMap((runs) =>
			runs.map(({ startTime }) => startTime),
		);
		const startDate = startDates.length > 0 ? Math.min(...startDates) : undefined;
		return { isGone: error !== undefined, startDate };
	} catch (error) {
		// While n8n's database does not answer, nothing is known.
		logger.warn(
			`Browser Agent could not check execution ${parentExecutionId}: ${messageOf(error)}`,
		);
		return { isGone: false };
	}
}

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

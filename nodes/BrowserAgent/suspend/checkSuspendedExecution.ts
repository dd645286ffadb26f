import { messageOf } from '../../errors/ServiceError';
import type { Run } from '../types';
import type { SuspendedState } from './state';

/**
 * Checks whether the suspended execution was stopped or deleted and, if n8n knows, when it began,
 * as a timestamp in ms. Never rejects: without an answer from n8n's database, the execution counts
 * as still suspended.
 */
export async function checkSuspendedExecution(
	{ context, logger }: Run,
	{ suspendedExecutionId }: SuspendedState,
): Promise<{ isGone: boolean; startedAt?: number }> {
	try {
		const suspended = await context.getExecutionDataById(suspendedExecutionId);
		if (suspended === undefined) return { isGone: true };
		const { error, runData } = suspended.resultData;
		const startTimes = Object.values(runData).flatMap((runs) =>
			runs.map(({ startTime }) => startTime),
		);
		const startedAt = startTimes.length > 0 ? Math.min(...startTimes) : undefined;
		return { isGone: error !== undefined, startedAt };
	} catch (error) {
		logger.warn(
			`Browser Agent could not check execution ${suspendedExecutionId}: ${messageOf(error)}`,
		);
		return { isGone: false };
	}
}

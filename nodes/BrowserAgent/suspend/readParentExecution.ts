import { messageOf } from '../../errors/ServiceError';
import type { Run } from '../types';
import type { SuspendedState } from './state';

/**
 * Whether the suspended execution was stopped or deleted and, as far as n8n tells, when it began.
 */
export async function readParentExecution(
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

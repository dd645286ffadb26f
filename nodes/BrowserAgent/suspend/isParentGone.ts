import { messageOf } from '../../errors/ServiceError';
import type { Run } from '../types';
import type { SuspendedState } from './state';

/** Whether the suspended execution has ended: it was stopped or deleted. */
export async function isParentGone(
	{ context, logger }: Run,
	{ parentExecutionId }: SuspendedState,
): Promise<boolean> {
	try {
		const parent = await context.getExecutionDataById(parentExecutionId);
		return parent === undefined || parent.resultData.error !== undefined;
	} catch (error) {
		// While n8n's database does not answer, nothing is known.
		logger.warn(
			`Browser Agent could not check execution ${parentExecutionId}: ${messageOf(error)}`,
		);
		return false;
	}
}

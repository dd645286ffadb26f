import { messageOf } from '../errors/ServiceError';
import type { Run } from './types';

const KEY = 'browser_agent_jobs';
// n8n's limits for an execution.
const MAX_KEYS = 10;
const KEYS = Array.from({ length: MAX_KEYS }, (_, index) =>
	index === 0 ? KEY : `${KEY}_${index + 1}`,
);
const MAX_CHARACTERS = 255;

/**
 * Adds a job's ID to the execution's highlighted data, which n8n keeps after a Stop too. Does
 * nothing if the data is full. Never throws.
 */
export function highlightJob(
	{ context, logger }: Pick<Run, 'context' | 'logger'>,
	jobId: string,
): void {
	try {
		for (const key of KEYS) {
			const jobIds = context.customData.get(key);
			const value = jobIds === undefined ? jobId : `${jobIds},${jobId}`;
			if (value.length > MAX_CHARACTERS) continue;
			context.customData.set(key, value);
			return;
		}
	} catch (error) {
		logger.debug(
			`Browser Agent could not add job ${jobId} to the highlighted data: ${messageOf(error)}`,
			{ jobId },
		);
	}
}

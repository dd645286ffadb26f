import { messageOf } from '../errors/ServiceError';
import type { Run } from './types';

const KEY = 'browser_agent_jobs';
// The most that n8n stores for an execution.
const MAX_KEYS = 10;
const MAX_CHARACTERS = 255;

/** Adds a job's ID to the execution's highlighted data, which outlives a Stop. Never throws. */
export function highlightJob(
	{ context, logger }: Pick<Run, 'context' | 'logger'>,
	jobId: string,
): void {
	try {
		for (let number = 1; number <= MAX_KEYS; number++) {
			const key = number === 1 ? KEY : `${KEY}_${number}`;
			const known = context.customData.get(key);
			const value = known === undefined ? jobId : `${known},${jobId}`;
			if (value.length > MAX_CHARACTERS) continue;
			context.customData.set(key, value);
			return;
		}
	} catch (error) {
		logger.debug(`Browser Agent could not highlight job ${jobId}: ${messageOf(error)}`);
	}
}

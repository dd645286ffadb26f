import type { IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../errors/ServiceError';
import type { Run } from './Run';

type CustomData = IExecuteFunctions['customData'];

const KEY = 'browser_agent_jobs';
// n8n's limits for an execution.
const MAX_KEYS = 10;
const KEYS = Array.from({ length: MAX_KEYS }, (_, index) =>
	index === 0 ? KEY : `${KEY}_${index + 1}`,
);
const MAX_CHARACTERS = 255;

/**
 * Adds a job's ID to the execution's highlighted data, which n8n keeps after a Stop too. When they
 * are full, the oldest IDs give way: n8n's log has them all. Never throws.
 */
export function highlightJob(
	{ context, logger }: Pick<Run, 'context' | 'logger'>,
	jobId: string,
): void {
	try {
		const { customData } = context;
		const jobIds = KEYS.flatMap((key) => customData.get(key)?.split(',') ?? []);
		jobIds.push(jobId);
		// Other nodes may have used keys, too: n8n silently drops an eleventh one.
		for (let keys = MAX_KEYS; keys > 0; keys--) {
			if (store(customData, latestThatFit(jobIds, keys))) return;
		}
	} catch (error) {
		logger.debug(
			`Browser Agent could not add job ${jobId} to the highlighted data: ${messageOf(error)}`,
			{ jobId },
		);
	}
}

/** Returns as many of the latest IDs as fit into this number of values, in their order. */
function latestThatFit(jobIds: string[], maxValues: number): string[] {
	for (let from = 0; ; from++) {
		const values = joined(jobIds.slice(from));
		if (values.length <= maxValues) return values;
	}
}

/** Joins IDs to values that are as long as n8n allows. */
function joined(jobIds: string[]): string[] {
	const values: string[] = [];
	for (const jobId of jobIds) {
		const last = values.at(-1);
		const longer = `${last},${jobId}`;
		if (last !== undefined && longer.length <= MAX_CHARACTERS) values[values.length - 1] = longer;
		else values.push(jobId);
	}
	return values;
}

/** Writes the values under the first keys. Returns whether n8n has kept all of them. */
function store(customData: CustomData, values: string[]): boolean {
	return values.every((value, index) => {
		const key = KEYS[index] as string;
		customData.set(key, value);
		return customData.get(key) === value;
	});
}

import { setTimeout as sleep } from 'node:timers/promises';

import { createPollContext } from '../../engine/engine';
import { engineParts, nodeOf } from './engineParts';
import { collectGarbage, spentOn } from './resources';

export interface PollTriggerOptions {
	url: string;
	scale: number;
	jobIds: string[];
	times: number;
}

const MINUTE_MS = 60_000;

/** Polls the trigger for these jobs once a minute; returns the CPU time of each poll, in ms. */
export async function pollTrigger({
	url,
	scale,
	jobIds,
	times,
}: PollTriggerOptions): Promise<number[]> {
	const parts = engineParts(url, { scale });
	const node = nodeOf('browserAgentTrigger', {
		jobSource: 'ids',
		jobIds: jobIds.join(','),
		triggerOn: ['completed', 'failed'],
	});
	const context = createPollContext(node, parts);
	const poll = async () => {
		await parts.nodeTypes.browserAgentTrigger?.poll?.call(context);
	};

	// Publishing polls once, which compiles the code.
	await poll();
	const costs: number[] = [];
	for (let count = 0; count < times; count++) {
		await sleep(MINUTE_MS / scale);
		collectGarbage();
		costs.push((await spentOn(poll)).cpuMs);
	}
	return costs;
}

import '../../engine/environment';

import type { EngineParts } from '../../engine/engine';
import type { INode } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { AdminClient } from '../../sandbox/AdminClient';
import { engineParts, nodeOf } from './engineParts';
import { runOne } from './runOne';
import { warmUp } from './warmUp';

export interface SeeEndsOptions {
	url: string;
	scale: number;
	durationsSeconds: number[];
	/** Polls at this interval instead of using our node. */
	everySeconds?: number;
	/** Durations of earlier jobs on the same account, as shares of the job's own. */
	earlier?: number[];
}

/** When the end of a job was seen, in scaled time. */
export interface SeenEnd {
	durationSeconds: number;
	delaySeconds: number;
	polls: number;
}

const BETWEEN_STARTS_MS = 100;

/** Runs jobs of these durations at the same time, each on an account of its own. */
export async function seeEnds(options: SeeEndsOptions): Promise<SeenEnd[]> {
	const { url, scale, durationsSeconds, everySeconds, earlier = [] } = options;
	const node =
		everySeconds === undefined
			? nodeOf('browserAgent', {
					resource: 'agent',
					operation: 'run',
					directive: '={{ $json.directive }}',
				})
			: nodeOf('waitItemByItem', { everyMs: (everySeconds * 1000) / scale });
	await warmUp(engineParts(url));

	return await Promise.all(
		durationsSeconds.map(async (durationSeconds, index) => {
			await sleep(index * BETWEEN_STARTS_MS);
			const parts = engineParts(url, { scale });
			const run = async (seconds: number) => await runJob(options, node, parts, seconds, index);
			await Promise.all(earlier.map(async (share) => await run(share * durationSeconds)));
			return await run(durationSeconds);
		}),
	);
}

async function runJob(
	{ url, scale }: SeeEndsOptions,
	node: INode,
	parts: EngineParts,
	durationSeconds: number,
	number: number,
): Promise<SeenEnd> {
	const admin = new AdminClient(url);
	const directive = `Job <${number}>`;
	await admin.nextJob({ match: directive, durationSeconds });
	const [item] = await runOne(node, parts, [{ directive }]);
	const seenAt = performance.timeOrigin + performance.now();
	const job = await admin.job(String(item?.json.job_id));
	const delayMs = (seenAt - (job.endedAtRealMs ?? NaN)) * scale;
	return { durationSeconds, delaySeconds: delayMs / 1000, polls: job.polls };
}

import '../../engine/environment';

import { setTimeout as sleep } from 'node:timers/promises';

import { AdminClient } from '../../sandbox/AdminClient';
import { forgetCalls, setScale } from './built';
import { engineParts, nodeOf } from './engineParts';
import { runOne } from './runOne';
import { warmUp } from './warmUp';

export interface SeeEndsOptions {
	url: string;
	scale: number;
	durationsSeconds: number[];
	/** Unset: our node, at its own pace. */
	everySeconds?: number;
}

/** How a job's end was seen. Times are those of the scaled clock. */
export interface SeenEnd {
	durationSeconds: number;
	delaySeconds: number;
	polls: number;
}

const BETWEEN_STARTS_MS = 100;

/** Runs jobs of these durations at once, each as the only one of its account. */
export async function seeEnds({
	url,
	scale,
	durationsSeconds,
	everySeconds,
}: SeeEndsOptions): Promise<SeenEnd[]> {
	setScale(scale);
	const admin = new AdminClient(url);
	const parts = engineParts(url);
	const node =
		everySeconds === undefined
			? nodeOf('browserAgent', { resource: 'agent', operation: 'run', directive: 'Work' })
			: nodeOf('waitItemByItem', { everyMs: (everySeconds * 1000) / scale });

	await warmUp(parts);
	return await Promise.all(
		durationsSeconds.map(async (durationSeconds, index) => {
			await sleep(index * BETWEEN_STARTS_MS);
			await admin.nextJob({ durationSeconds });
			// An account of its own: nothing is left of what the jobs before have used.
			forgetCalls();
			const [item] = await runOne(node, parts, [{ number: index }]);
			const seenAt = performance.timeOrigin + performance.now();
			const job = await admin.job(String(item?.json.job_id));
			const delayMs = (seenAt - (job.endedAtRealMs ?? NaN)) * scale;
			return { durationSeconds, delaySeconds: delayMs / 1000, polls: job.polls };
		}),
	);
}

import { mean } from '../figures';
import type { Job } from '../../sandbox/state/Job';
import { longestGapMs } from './longestGapMs';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

export const TOGETHER_WAYS = ['ours', 'roundRobin'] as const;
export type TogetherWay = (typeof TOGETHER_WAYS)[number];

/** How jobs fared that all began to be waited for at the same time. */
export interface TogetherResult {
	/** Polls of the one that is allowed each second, while all jobs were waiting. */
	percentOfLimit: number;
	/** The longest time without a poll of any job, while all were waiting, in s. */
	longestGapSeconds: number;
	meanDelaySeconds: number;
	refused: number;
}

/** Waits for jobs of these durations at the same time, in simulated time. */
export async function waitTogether(
	way: TogetherWay,
	durationsSeconds: number[],
	seed: number,
): Promise<TogetherResult> {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const jobs = durationsSeconds.map((seconds) => account.givenJob(seconds * 1000));
	const endsOf = new Map(jobs.map(({ id }, index) => [id, (durationsSeconds[index] ?? 0) * 1000]));
	/** When each end was seen, by the clock, in ms. */
	const ends: Array<{ jobId: string; at: number }> = [];

	if (way === 'ours') {
		const process = new SimulatedProcess(account, random);
		await Promise.all(
			jobs.map(async ({ id: jobId }) => {
				await process.waitFor({ jobId });
				ends.push({ jobId, at: clock.now() });
			}),
		);
	} else {
		// Polls all unfinished jobs in turn.
		for (let waiting = jobs; waiting.length > 0;) {
			const unfinished: Job[] = [];
			for (const job of waiting) {
				const next = clock.sleep(1000);
				await account.send({ method: 'GET', url: account.toUrl(`/v1/get_job_status/${job.id}`) });
				if (job.isFinished(clock.now())) ends.push({ jobId: job.id, at: clock.now() });
				else unfinished.push(job);
				await next;
			}
			waiting = unfinished;
		}
	}

	const firstEndAt = ends[0]?.at ?? NaN;
	const whileAllWaited = account.polls.filter(({ at }) => at < firstEndAt);
	return {
		percentOfLimit: 100 * Math.min(1, whileAllWaited.length / (firstEndAt / 1000)),
		longestGapSeconds: longestGapMs(whileAllWaited) / 1000,
		meanDelaySeconds: mean(ends.map(({ jobId, at }) => at - (endsOf.get(jobId) ?? NaN))) / 1000,
		refused: account.counts.refused,
	};
}

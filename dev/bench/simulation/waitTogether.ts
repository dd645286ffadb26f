import { mean } from '../figures';
import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

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

/** Waits for jobs of these durations at the same time, in virtual time. */
export async function waitTogether(
	way: TogetherWay,
	durationsSeconds: number[],
	seed: number,
): Promise<TogetherResult> {
	const service = new SimulatedService(seed);
	const { clock } = service;
	const jobs = durationsSeconds.map((seconds) => ({ endsAt: seconds * 1000, lastPollAt: 0 }));
	const delays: number[] = [];
	let polls = 0;
	let longestGapMs = 0;

	const recordPoll = (job: (typeof jobs)[number]) => {
		if (delays.length > 0) return;
		polls++;
		longestGapMs = Math.max(longestGapMs, clock.now() - job.lastPollAt);
		job.lastPollAt = clock.now();
	};
	let firstEndAt = 0;
	const recordEnd = (job: (typeof jobs)[number]) => {
		if (delays.length === 0) firstEndAt = clock.now();
		delays.push(clock.now() - job.endsAt);
	};

	if (way === 'ours') {
		const process = new SimulatedProcess(service);
		await Promise.all(
			jobs.map(async (job) => {
				await process.waitFor({ endsAt: job.endsAt, onPoll: () => recordPoll(job) });
				recordEnd(job);
			}),
		);
	} else {
		// Polls all unfinished jobs in turn.
		for (let waiting = jobs; waiting.length > 0;) {
			const unfinished: typeof jobs = [];
			for (const job of waiting) {
				recordPoll(job);
				if (clock.now() >= job.endsAt) recordEnd(job);
				else unfinished.push(job);
				await clock.sleep(1000);
			}
			waiting = unfinished;
		}
	}
	return {
		percentOfLimit: 100 * Math.min(1, polls / (firstEndAt / 1000)),
		longestGapSeconds: longestGapMs / 1000,
		meanDelaySeconds: mean(delays) / 1000,
		refused: service.counters.refusedPolls,
	};
}

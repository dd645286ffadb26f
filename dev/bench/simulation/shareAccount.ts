import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

const MINUTE_MS = 60_000;
const WARM_UP_MINUTES = 10;
const MINUTES = 10;
const JOBS_IN_PARALLEL = 10;
const MAX_STAGGER_MS = 30_000;

/** What several processes got of one account's limits. */
export interface ShareReport {
	/** Calls that were refused with 429, of all calls. */
	refusedPercent: number;
	/** The starts of the busiest process, times those of the least busy one. */
	imbalance: number;
}

/**
 * Lets processes that don't know of each other always have ten jobs of 30 to 90 s, in simulated
 * time. What counts are ten minutes, after ten others in which they have learned from refusals.
 */
export async function shareAccount(processes: number, seed: number): Promise<ShareReport> {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const starts = Array<number>(processes).fill(0);

	const runJobs = async (process: SimulatedProcess, index: number) => {
		for (;;) {
			const job = await process.start(MINUTE_MS * (0.5 + random()));
			starts[index] = (starts[index] ?? 0) + 1;
			await process.waitFor(job);
		}
	};
	starts.forEach((_, index) => {
		const process = new SimulatedProcess(account, random);
		void clock.sleep(MAX_STAGGER_MS * random()).then(() => {
			for (let job = 0; job < JOBS_IN_PARALLEL; job++) void runJobs(process, index);
		});
	});

	await clock.sleep(WARM_UP_MINUTES * MINUTE_MS);
	starts.fill(0);
	const before = account.counts;
	await clock.sleep(MINUTES * MINUTE_MS);
	clock.stop();
	const { calls, refused } = account.counts;
	return {
		refusedPercent: (100 * (refused - before.refused)) / (calls - before.calls),
		imbalance: Math.max(...starts) / Math.min(...starts),
	};
}

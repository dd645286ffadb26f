import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import type { SimulatedAccount } from '../../engine/SimulatedAccount';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

export const BATCH_WAYS = ['ours', 'loop'] as const;
export type BatchWay = (typeof BATCH_WAYS)[number];

const LOOP_STARTS = { size: 10, everyMs: 62_000 };
const LOOP_POLLS = { size: 20, everyMs: 31_000 };
const LOOP_WAIT_MS = 30_000;

/**
 * Runs jobs of these durations to their ends, begun in their order, in simulated time. `delays` are
 * the seconds after which ends were seen; the loop has none.
 */
export async function runBatch(
	way: BatchWay,
	durationsSeconds: number[],
	{ maxParallel, seed }: { maxParallel: number; seed: number },
) {
	const { account, random } = simulateAccount(seed);
	const durations = durationsSeconds.map((seconds) => seconds * 1000);
	const delays =
		way === 'ours'
			? await runOurs(new SimulatedProcess(account, random), account, durations, maxParallel)
			: await runLoop(account, durations);
	return {
		makespanSeconds: account.clock.now() / 1000,
		refused: account.counts.refused,
		delays,
	};
}

async function runOurs(
	process: SimulatedProcess,
	{ clock }: SimulatedAccount,
	durations: number[],
	maxParallel: number,
): Promise<number[]> {
	const delays: number[] = [];
	await limitConcurrency(durations, maxParallel, async (durationMs) => {
		const job = await process.start(durationMs);
		await process.waitFor(job);
		delays.push((clock.now() - job.startedAt - durationMs) / 1000);
	});
	return delays;
}

// HTTP Request, Wait, HTTP Request and IF: each node has all items before the next one has any.
async function runLoop(account: SimulatedAccount, durations: number[]): Promise<[]> {
	const { clock } = account;
	let unfinished: string[] = [];
	await inBatches(account, durations, LOOP_STARTS, async (durationMs) => {
		const { path, body } = account.toStart(durationMs);
		const url = account.toUrl(path);
		const { body: answer } = await account.send({
			method: 'POST',
			url,
			body: JSON.stringify(body),
		});
		const { job_id } = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as {
			job_id: string;
		};
		unfinished.push(job_id);
	});
	while (unfinished.length > 0) {
		await clock.sleep(LOOP_WAIT_MS);
		const running: string[] = [];
		await inBatches(account, unfinished, LOOP_POLLS, async (jobId) => {
			await account.send({ method: 'GET', url: account.toUrl(`/v1/get_job_status/${jobId}`) });
			if (!account.job(jobId).isFinished(clock.now())) running.push(jobId);
		});
		unfinished = running;
	}
	return [];
}

async function inBatches<T>(
	{ clock }: SimulatedAccount,
	items: T[],
	{ size, everyMs }: { size: number; everyMs: number },
	work: (item: T) => Promise<void>,
): Promise<void> {
	for (let first = 0; first < items.length; first += size) {
		if (first > 0) await clock.sleep(everyMs);
		await Promise.all(items.slice(first, first + size).map(work));
	}
}

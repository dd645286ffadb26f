import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import type { SimulatedClock } from '../../engine/SimulatedClock';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess, type AwaitedJob } from './SimulatedProcess';

/** The node, a loop of n8n's own nodes, and a node that finishes one item before the next. */
export const BATCH_WAYS = ['ours', 'loop', 'itemByItem'] as const;
export type BatchWay = (typeof BATCH_WAYS)[number];

/** How a batch went; times in s. */
export interface BatchReport {
	makespanSeconds: number;
	/** How long after the end of each job it was seen. */
	delays: number[];
	/** How many calls the service refused with a 429. */
	refused: number;
}

/** What a way works with. */
interface Batch {
	process: SimulatedProcess;
	clock: SimulatedClock;
	/** In ms. */
	durations: number[];
	maxParallel: number;
	recordEnd: (job: StartedJob) => void;
}

type StartedJob = AwaitedJob & { startedAt: number; durationMs: number };

// Within the limits of 10 starts and 60 polls a minute, with a margin for latency.
const LOOP_STARTS = { size: 10, everyMs: 62_000 };
const LOOP_POLLS = { size: 20, everyMs: 31_000 };
const LOOP_WAIT_MS = 30_000;
const ITEM_POLL_MS = 5_000;

const WAYS: Record<BatchWay, (batch: Batch) => Promise<void>> = {
	ours: runOurs,
	loop: runLoop,
	itemByItem: runItemByItem,
};

/**
 * Runs jobs of these durations to their ends, begun in their order, in simulated time.
 * `maxParallel` counts for our own way only.
 */
export async function runBatch(
	way: BatchWay,
	durationsSeconds: number[],
	{ maxParallel, seed }: { maxParallel: number; seed: number },
): Promise<BatchReport> {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const delays: number[] = [];
	await WAYS[way]({
		process: new SimulatedProcess(account, random),
		clock,
		durations: durationsSeconds.map((seconds) => seconds * 1000),
		maxParallel,
		recordEnd({ startedAt, durationMs }) {
			delays.push((clock.now() - startedAt - durationMs) / 1000);
		},
	});
	return { makespanSeconds: clock.now() / 1000, delays, refused: account.counts.refused };
}

async function runOurs({ process, durations, maxParallel, recordEnd }: Batch): Promise<void> {
	await limitConcurrency(durations, maxParallel, async (durationMs) => {
		const job = await process.start(durationMs);
		await process.waitFor(job);
		recordEnd({ ...job, durationMs });
	});
}

// HTTP Request, Wait, HTTP Request and If: each node has all items before the next one has any.
async function runLoop({ process, clock, durations, recordEnd }: Batch): Promise<void> {
	let unfinished: StartedJob[] = [];
	await inBatches(clock, durations, LOOP_STARTS, async (durationMs) => {
		unfinished.push({ ...(await process.start(durationMs)), durationMs });
	});
	while (unfinished.length > 0) {
		await clock.sleep(LOOP_WAIT_MS);
		const running: StartedJob[] = [];
		await inBatches(clock, unfinished, LOOP_POLLS, async (job) => {
			if (await process.hasEnded(job)) recordEnd(job);
			else running.push(job);
		});
		unfinished = running;
	}
}

async function runItemByItem({ process, clock, durations, recordEnd }: Batch): Promise<void> {
	for (const durationMs of durations) {
		const job = { ...(await process.start(durationMs)), durationMs };
		do await clock.sleep(ITEM_POLL_MS);
		while (!(await process.hasEnded(job)));
		recordEnd(job);
	}
}

async function inBatches<T>(
	clock: SimulatedClock,
	items: T[],
	{ size, everyMs }: { size: number; everyMs: number },
	work: (item: T) => Promise<void>,
): Promise<void> {
	for (let first = 0; first < items.length; first += size) {
		if (first > 0) await clock.sleep(everyMs);
		await Promise.all(items.slice(first, first + size).map(work));
	}
}

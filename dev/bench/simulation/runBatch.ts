import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

export const BATCH_WAYS = ['ours', 'loop'] as const;
export type BatchWay = (typeof BATCH_WAYS)[number];

const LOOP_STARTS = { size: 10, everyMs: 62_000 };
const LOOP_POLLS = { size: 20, everyMs: 31_000 };
const LOOP_WAIT_MS = 30_000;

/**
 * Runs jobs of these durations to their ends, begun in their order, in virtual time. `delays` are
 * the seconds after which ends were seen; the loop has none.
 */
export async function runBatch(
	way: BatchWay,
	durationsSeconds: number[],
	{ maxParallel, seed }: { maxParallel: number; seed: number },
) {
	const service = new SimulatedService(seed);
	const run = way === 'ours' ? runOurs : runLoop;
	const durations = durationsSeconds.map((seconds) => seconds * 1000);
	const delays: number[] = [];
	await run(service, durations, maxParallel, delays);
	const { refusedStarts, refusedPolls } = service.counters;
	return {
		makespanSeconds: service.clock.now() / 1000,
		refused: refusedStarts + refusedPolls,
		delays,
	};
}

async function runOurs(
	service: SimulatedService,
	durations: number[],
	maxParallel: number,
	delays: number[],
): Promise<void> {
	const { clock } = service;
	const process = new SimulatedProcess(service);
	await limitConcurrency(durations, maxParallel, async (durationMs) => {
		await process.start();
		const startedAt = clock.now();
		await process.waitFor({ startedAt, endsAt: startedAt + durationMs });
		delays.push((clock.now() - startedAt - durationMs) / 1000);
	});
}

// HTTP Request, Wait, HTTP Request and IF: each node has all items before the next one has any.
async function runLoop(service: SimulatedService, durations: number[]): Promise<void> {
	const { clock } = service;
	let unfinished: number[] = [];
	await inBatches(service, durations, LOOP_STARTS, async (duration) => {
		await service.call('starts');
		unfinished.push(clock.now() + duration);
	});
	while (unfinished.length > 0) {
		await clock.sleep(LOOP_WAIT_MS);
		const running: number[] = [];
		await inBatches(service, unfinished, LOOP_POLLS, async (endsAt) => {
			await service.call('polls');
			if (clock.now() < endsAt) running.push(endsAt);
		});
		unfinished = running;
	}
}

async function inBatches(
	{ clock }: SimulatedService,
	items: number[],
	{ size, everyMs }: { size: number; everyMs: number },
	work: (item: number) => Promise<void>,
): Promise<void> {
	for (let first = 0; first < items.length; first += size) {
		if (first > 0) await clock.sleep(everyMs);
		await Promise.all(items.slice(first, first + size).map(work));
	}
}

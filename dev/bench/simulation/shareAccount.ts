import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { ServiceError } from '../../../nodes/errors/ServiceError';
import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

export const SHARING_WAYS = ['ours', 'loop'] as const;
export type SharingWay = (typeof SHARING_WAYS)[number];

/** What several processes got of one account's limits within the measured minutes. */
export interface SharingResult {
	/** Jobs started, as a share of the start limit. */
	shareOfStarts: number;
	/** Share of all calls that were refused with 429. */
	refused: number;
	/** Jain's fairness index of the jobs started by each process: 1 if all got the same. */
	fairness: number;
}

const MINUTE_MS = 60_000;
const STARTS_PER_MINUTE = 10;
const JOBS_IN_PARALLEL = 10;
const MAX_STAGGER_MS = 30_000;
const LOOP_ROUND_MS = 62_000;
const LOOP_POLLS_PER_ROUND = 40;

/** Lets processes that don't know of each other start and wait for jobs of half a minute to 90 s. */
export async function shareAccount(
	way: SharingWay,
	processes: number,
	{ warmUpMinutes, minutes }: { warmUpMinutes: number; minutes: number },
): Promise<SharingResult> {
	const service = new SimulatedService();
	const { clock, counters } = service;
	const end = new AbortController();
	const starts = Array.from({ length: processes }, () => 0);
	const run = way === 'ours' ? runOurs : runLoop;
	const running = starts.map(async (_, index) => {
		await clock.sleep(MAX_STAGGER_MS * Math.random());
		const noteStart = () => starts.splice(index, 1, (starts[index] ?? 0) + 1);
		await run(service, noteStart, end.signal);
	});

	await clock.sleep(warmUpMinutes * MINUTE_MS);
	starts.fill(0);
	const before = { ...counters };
	await clock.sleep(minutes * MINUTE_MS);
	end.abort();
	const calls = counters.starts + counters.polls - before.starts - before.polls;
	const refusedStarts = counters.refusedStarts - before.refusedStarts;
	const refusedPolls = counters.refusedPolls - before.refusedPolls;
	const started = sum(starts);
	const squares = sum(starts.map((count) => count ** 2));
	const result = {
		shareOfStarts: started / (STARTS_PER_MINUTE * minutes),
		refused: (refusedStarts + refusedPolls) / calls,
		fairness: started ** 2 / (processes * squares),
	};
	await Promise.all(running);
	return result;
}

type RunProcess = (
	service: SimulatedService,
	noteStart: () => void,
	signal: AbortSignal,
) => Promise<void>;

const runOurs: RunProcess = async (service, noteStart, signal) => {
	const process = new SimulatedProcess(service);
	let jobs = 0;
	await limitConcurrency([...Array(JOBS_IN_PARALLEL).keys()], JOBS_IN_PARALLEL, async () => {
		while (await process.start(signal)) {
			noteStart();
			const bornAt = service.clock.now();
			const endsAt = bornAt + durationMs();
			const jobId = `job_${jobs++}`;
			await process.waitFor({ jobId, bornAt, endsAt, isNew: true, signal });
			if (signal.aborted) return;
		}
	});
};

// HTTP Request nodes with batches, as a process alone would need them.
const runLoop: RunProcess = async (service, noteStart, signal) => {
	let unfinished: number[] = [];
	while (!signal.aborted) {
		for (let free = JOBS_IN_PARALLEL - unfinished.length; free > 0; free--) {
			if (!(await isAccepted(service, 'starts'))) continue;
			noteStart();
			unfinished.push(service.clock.now() + durationMs());
		}
		for (const endsAt of unfinished.slice(0, LOOP_POLLS_PER_ROUND)) {
			const isSeen = (await isAccepted(service, 'polls')) && endsAt <= service.clock.now();
			if (isSeen) unfinished = unfinished.filter((other) => other !== endsAt);
		}
		await service.clock.sleep(LOOP_ROUND_MS, signal);
	}
};

async function isAccepted(service: SimulatedService, limit: 'starts' | 'polls'): Promise<boolean> {
	try {
		await service.call(limit);
		return true;
	} catch (error) {
		if (error instanceof ServiceError) return false;
		throw error;
	}
}

function durationMs(): number {
	return MINUTE_MS * (0.5 + Math.random());
}

function sum(values: number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

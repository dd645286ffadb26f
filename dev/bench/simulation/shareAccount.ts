import { setMaxListeners } from 'node:events';

import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { ServiceError } from '../../../nodes/errors/ServiceError';
import { fairness } from '../figures';
import { SimulatedProcess } from './SimulatedProcess';
import { SimulatedService } from './SimulatedService';

export const SHARING_WAYS = ['ours', 'loop'] as const;
export type SharingWay = (typeof SHARING_WAYS)[number];

export interface SharingOptions {
	processes: number;
	/** How long they have worked before the measurement: 0 means that none knows of any other. */
	warmUpMinutes: number;
	minutes: number;
	seed: number;
}

/** What several processes got of one account's limits within the measured minutes. */
export interface SharingResult {
	/** Jobs started, as a share of the start limit. */
	shareOfStarts: number;
	/** Share of all calls that were refused with 429. */
	refused: number;
	/** Jain's fairness index of the jobs started by each process. */
	fairness: number;
}

const MINUTE_MS = 60_000;
const STARTS_PER_MINUTE = 10;
const POLLS_PER_MINUTE = 60;
const JOBS_IN_PARALLEL = 10;
const MAX_STAGGER_MS = 30_000;
const LOOP_ROUND_MS = 62_000;

/** Lets processes that don't know of each other start and wait for jobs of 30 to 90 s. */
export async function shareAccount(
	way: SharingWay,
	{ processes, warmUpMinutes, minutes, seed }: SharingOptions,
): Promise<SharingResult> {
	const service = new SimulatedService(seed);
	const { clock, counters, random } = service;
	const end = new AbortController();
	// All processes wait for it.
	setMaxListeners(0, end.signal);
	const starts = Array.from({ length: processes }, () => 0);
	const run = way === 'ours' ? runOurs : runLoop;
	const running = starts.map(async (_, index) => {
		await clock.sleep(MAX_STAGGER_MS * random());
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
	const started = starts.reduce((total, count) => total + count, 0);
	const result = {
		shareOfStarts: started / (STARTS_PER_MINUTE * minutes),
		refused: (refusedStarts + refusedPolls) / calls,
		fairness: fairness(starts),
	};
	await Promise.all(running);
	return result;
}

/**
 * What nobody can do better without a word between the processes. Starts are whole, so they can't be
 * spread quite evenly; and a process that starts cold learns that there are others from a refusal only.
 */
export function sharingLimits({
	processes,
	warmUpMinutes,
	minutes,
}: Omit<SharingOptions, 'seed'>): SharingResult {
	const starts = STARTS_PER_MINUTE * minutes;
	const spread = Array.from({ length: processes }, (_, index) =>
		Math.floor((starts + index) / processes),
	);
	// All begin within the first window, each with a call.
	const refusedAtFirst = warmUpMinutes > 0 ? 0 : Math.max(0, processes - STARTS_PER_MINUTE);
	const accepted = starts + POLLS_PER_MINUTE * minutes;
	return {
		shareOfStarts: 1,
		refused: refusedAtFirst / (accepted + refusedAtFirst),
		fairness: fairness(spread),
	};
}

type RunProcess = (
	service: SimulatedService,
	noteStart: () => void,
	signal: AbortSignal,
) => Promise<void>;

const runOurs: RunProcess = async (service, noteStart, signal) => {
	const process = new SimulatedProcess(service);
	await limitConcurrency([...Array(JOBS_IN_PARALLEL).keys()], JOBS_IN_PARALLEL, async () => {
		while (await process.start(signal)) {
			noteStart();
			const startedAt = service.clock.now();
			const endsAt = startedAt + durationMs(service);
			await process.waitFor({ waitBegan: startedAt, startedAt, endsAt, signal });
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
			unfinished.push(service.clock.now() + durationMs(service));
		}
		for (const endsAt of unfinished) {
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

function durationMs({ random }: SimulatedService): number {
	return MINUTE_MS * (0.5 + random());
}

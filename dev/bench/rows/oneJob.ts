import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Bench, Check, Row } from '../Bench';
import { mean, median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { seeSimulatedEnd } from '../simulation/seeEnds';

/** How the end of a job is waited for. */
interface Way {
	name: string;
	everySeconds?: number;
	earlier?: number[];
}

// Within 3 % of the job's own duration.
const TEN_LIKE_IT = Array.from({ length: 10 }, (_, index) => 0.97 + (0.06 * index) / 9);
const UNKNOWN: Way = { name: 'ours, durations unknown' };
const LEARNED: Way = { name: 'ours, after ten like it', earlier: TEN_LIKE_IT };
const WAYS: Way[] = [
	UNKNOWN,
	LEARNED,
	...[1, 2, 5].map((everySeconds) => ({ name: `every ${everySeconds} s`, everySeconds })),
];
const MAX_POLLS = 90;

/** Jobs of durations between two bounds, evenly spread. */
interface Durations {
	name: string;
	from: number;
	to: number;
	scale: number;
}

const SHORT: Durations = { name: '5 s to 1 min', from: 5, to: 60, scale: 6 };
const LONG: Durations = { name: '1 to 10 min', from: 60, to: 600, scale: 20 };
const JOBS = 10;
const SIMULATED_JOBS = 100;

interface Figures {
	/** Means of each run. */
	delays: number[];
	polls: number[];
}

export const oneJob: Row = {
	name: 'oneJob',
	title: 'One job',

	async run(bench) {
		const table = [['jobs', 'way', 'mean delay, s', 'polls per job']];
		const note = (jobs: string, way: Way, { delays, polls }: Figures) =>
			table.push([jobs, way.name, medianWithRange(delays), medianWithRange(polls)]);

		const checks: Check[] = [];
		for (const way of WAYS) {
			const figures = await simulate(bench, way);
			note(`${LONG.name}, virtual time`, way, figures);
			checks.push(...checksOf(way, figures));
		}
		const scaled = bench.isQuick ? [{ ...LONG, to: 90, scale: 30 }] : [LONG, SHORT];
		for (const durations of scaled) {
			const figures = await measure(bench, durations);
			for (const way of WAYS) {
				note(`${durations.name}, n8n's engine`, way, figures[way.name] as Figures);
			}
		}
		const evenDelay = (LONG.from + LONG.to) / 2 / MAX_POLLS / 2;
		return {
			checks,
			table,
			notes: `Each job is the only one of its account. Targets are for virtual time: ${SIMULATED_JOBS} jobs a run and way, without the node around the rate limiters and the poll scheduler. n8n's engine: ${JOBS} jobs a run, the end is seen when the node's output is there, and times are those of the scaled clock, which multiplies by ${LONG.scale} what the machine takes, so they depend on its load. Durations are evenly spread and moved on by a fraction with each run, so that no interval fits them by chance; the ten earlier jobs have taken within 3 % of the job's duration. Limits: polls at one fixed interval, tuned to need ${MAX_POLLS} for jobs spread like this, see the ends ${evenDelay.toFixed(1)} s late; but one interval fits one range of durations only. Who knows the duration needs one poll and sees the end at once.`,
		};
	},
};

function checksOf(way: Way, { delays, polls }: Figures): Check[] {
	const delay = { value: median(delays), unit: ' s', isSimulated: true };
	if (way !== UNKNOWN) return [];
	return [
		{ ...delay, figureOf: 'mean delay with unknown durations', atMost: 3 },
		{ figureOf: 'polls for it', value: median(polls), atMost: MAX_POLLS, isSimulated: true },
	];
}

async function simulate({ runs }: Bench, way: Way): Promise<Figures> {
	const figures: Figures = { delays: [], polls: [] };
	for (let run = 0; run < runs; run++) {
		const ends = [];
		for (const [index, seconds] of spread(LONG, SIMULATED_JOBS, run, runs).entries()) {
			ends.push(await seeSimulatedEnd(seconds, { ...way, seed: run * SIMULATED_JOBS + index }));
		}
		figures.delays.push(mean(ends.map(({ delaySeconds }) => delaySeconds)));
		figures.polls.push(mean(ends.map(({ polls }) => polls)));
	}
	return figures;
}

async function measure(bench: Bench, durations: Durations): Promise<Record<string, Figures>> {
	const names = WAYS.map(({ name }) => name);
	// All ways at once: they wait most of the time, and have the same machine at the same time.
	const rounds = await alternate(['all'], bench.runs, async (_, run) => {
		return await Promise.all(
			WAYS.map(async (way) => await measureOnce(bench, durations, way, run)),
		);
	});
	return Object.fromEntries(
		names.map((name, index) => [
			name,
			{
				delays: rounds.all.map((round) => round[index]?.delay ?? NaN),
				polls: rounds.all.map((round) => round[index]?.polls ?? NaN),
			},
		]),
	);
}

async function measureOnce(
	bench: Bench,
	durations: Durations,
	{ everySeconds, earlier }: Way,
	run: number,
): Promise<{ delay: number; polls: number }> {
	const { scale } = durations;
	const sandbox = await forkSandbox({
		SANDBOX_TIME_SCALE: String(scale),
		SANDBOX_LIMITS: 'off',
		SANDBOX_VALIDATE_REQUESTS: 'off',
	});
	try {
		const durationsSeconds = spread(durations, bench.isQuick ? 2 : JOBS, run, bench.runs);
		const options = { url: sandbox.url, scale, durationsSeconds, everySeconds, earlier };
		const ends = await inChild(bench, 'seeEnds', options);
		return {
			delay: mean(ends.map(({ delaySeconds }) => delaySeconds)),
			polls: mean(ends.map(({ polls }) => polls)),
		};
	} finally {
		await sandbox.close();
	}
}

function spread({ from, to }: Durations, jobs: number, run: number, runs: number): number[] {
	const offset = (run + 0.5) / runs;
	return Array.from({ length: jobs }, (_, index) => from + ((to - from) * (index + offset)) / jobs);
}

import type { Check, Row } from '../Bench';
import { figure, median } from '../figures';
import { BATCH_WAYS, runBatch, type BatchReport, type BatchWay } from '../simulation/runBatch';
import { shortestSeconds } from '../simulation/shortestSeconds';
import { mixedDurations } from './durations';

// The service's limit of starts, and the node's default.
const BOUNDS = { startsPerWindow: 10, windowSeconds: 60, maxParallel: 10 };

const NAMES: Record<BatchWay, string> = {
	ours: 'Agent: Run',
	loop: 'HTTP Request loop',
	itemByItem: 'Item by item',
};

interface Batch {
	name: string;
	/** In s. */
	durations: number[];
	/** How often it is simulated, each time with different random numbers. */
	runs: number;
	/** The longest time until all jobs are done, in multiples of the optimum. */
	timesOptimum: number;
	/** The longest delay, in s, if the jobs end together, so that their polls compete. */
	maxDelaySeconds?: number;
}

const FEW: Batch = {
	name: '20 jobs of 10 to 90 s',
	durations: mixedDurations(20, 10, 90),
	runs: 21,
	timesOptimum: 1.05,
};
const MANY: Batch = {
	name: '100 jobs of 10 to 90 s',
	durations: mixedDurations(100, 10, 90),
	runs: 5,
	timesOptimum: 1.05,
};
const BATCHES: Batch[] = [
	FEW,
	MANY,
	{
		name: '20 jobs of 30 s',
		durations: Array<number>(20).fill(30),
		runs: 21,
		// The last polls are spaced, which costs ten of 90 s.
		timesOptimum: 1.12,
		maxDelaySeconds: 11,
	},
	{
		name: '100 jobs of 30 s',
		durations: Array<number>(100).fill(30),
		runs: 5,
		timesOptimum: 1.05,
		maxDelaySeconds: 11,
	},
];

/** What a batch took; times in s. */
interface BatchResult {
	optimum: number;
	makespans: Record<BatchWay, number>;
	/** Of our own way. */
	longestDelay: number;
	refused: number;
}

export const batches: Row = {
	name: 'batches',
	title: 'Batches',
	isSimulated: true,
	isQuick: true,

	async run({ isQuick }) {
		const results = new Map<Batch, BatchResult>();
		for (const batch of BATCHES) {
			results.set(batch, await measure(batch, isQuick ? 1 : batch.runs));
		}
		const of = (batch: Batch) => results.get(batch) as BatchResult;
		return {
			summary: [FEW, MANY].map((batch) => toSentence(batch, of(batch))),
			checks: BATCHES.flatMap((batch) => toChecks(batch, of(batch))),
			table: [
				['seconds', 'optimum', ...BATCH_WAYS.map((way) => NAMES[way])],
				...[FEW, MANY].map((batch) => [batch.name, ...toCells(of(batch))]),
			],
			notes:
				'The optimum starts 10 jobs a minute, has 10 unfinished ones, and sees ends at once; the target of Agent: Run is 1.05 times that. The loop starts 10 jobs every 62 s without that bound, waits for 30 s, and checks 20 every 31 s. Item by item, a job is checked every 5 s.',
		};
	},
};

async function measure({ durations }: Batch, runs: number): Promise<BatchResult> {
	const reports: Record<BatchWay, BatchReport[]> = { ours: [], loop: [], itemByItem: [] };
	for (const way of BATCH_WAYS) {
		for (let seed = 0; seed < runs; seed++) {
			const { maxParallel } = BOUNDS;
			reports[way].push(await runBatch(way, durations, { maxParallel, seed }));
		}
	}
	const makespan = (way: BatchWay) =>
		median(reports[way].map(({ makespanSeconds }) => makespanSeconds));
	return {
		optimum: shortestSeconds(durations, BOUNDS),
		makespans: {
			ours: makespan('ours'),
			loop: makespan('loop'),
			itemByItem: makespan('itemByItem'),
		},
		longestDelay: median(reports.ours.map(({ delays }) => Math.max(...delays))),
		refused: Math.max(...BATCH_WAYS.flatMap((way) => reports[way].map(({ refused }) => refused))),
	};
}

function toChecks(
	{ name, timesOptimum, maxDelaySeconds }: Batch,
	{ optimum, makespans, longestDelay, refused }: BatchResult,
): Check[] {
	const checks = [
		{
			figureOf: `times the optimum for ${name}`,
			value: makespans.ours / optimum,
			atMost: timesOptimum,
		},
		{ figureOf: `calls refused with a 429 for ${name}`, value: refused, atMost: 0 },
	];
	if (maxDelaySeconds === undefined) return checks;
	const delay = { value: longestDelay, atMost: maxDelaySeconds, unit: ' s' };
	return [...checks, { figureOf: `longest delay for ${name}`, ...delay }];
}

function toCells({ optimum, makespans }: BatchResult): string[] {
	return [optimum, ...BATCH_WAYS.map((way) => makespans[way])].map(figure);
}

function toSentence({ name }: Batch, { makespans }: BatchResult): string {
	const { ours, loop, itemByItem } = makespans;
	return `**${name}** take ${figure(ours)} s, an HTTP Request loop ${figure(loop)} s, item by item ${figure(itemByItem)} s.`;
}

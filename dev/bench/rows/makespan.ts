import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Bench, Check, Row } from '../Bench';
import { RUN_WAYS, type RunWay } from '../cases/runJobs';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { shortestSeconds } from '../optimum';
import { BATCH_WAYS, runBatch, type BatchWay } from '../simulation/runBatch';
import { equalDurations, mixedDurations } from './durations';

const NAMES: Record<RunWay, string> = {
	ours: 'Agent: Run',
	loop: 'HTTP Request + Wait + IF loop',
	itemByItem: 'node that waits item by item',
};
// The service's own, and the node's default.
const BOUNDS = { startsPerWindow: 10, windowSeconds: 60, maxParallel: 10 };

interface Batch {
	name: string;
	durations: number[];
	/** How many times as fast as on a clock. Item by item takes long. */
	scale: Record<RunWay, number>;
}

interface RunOfBatch {
	tookSeconds: number;
	refused: number;
}

type Results<Way extends RunWay> = Partial<Record<Way, RunOfBatch[]>>;
type Where = 'virtual time' | "n8n's engine";

const FEW = { ours: 10, loop: 10, itemByItem: 60 };
const MANY = { ours: 15, loop: 20, itemByItem: 150 };
const BATCHES: Batch[] = [
	{ name: '20 jobs of 30 s', durations: equalDurations(20, 30), scale: FEW },
	{ name: '20 jobs of 10 to 90 s', durations: mixedDurations(20, 10, 90), scale: FEW },
	{ name: '100 jobs of 30 s', durations: equalDurations(100, 30), scale: MANY },
	{ name: '100 jobs of 10 to 90 s', durations: mixedDurations(100, 10, 90), scale: MANY },
];
/** For the quick form. */
const SMALL: Batch = {
	name: '4 jobs of 10 s',
	durations: equalDurations(4, 10),
	scale: { ours: 60, loop: 60, itemByItem: 120 },
};
const MAX_ATTEMPTS = 5;
// One late poll of the last job is a percent of the makespan.
const SIMULATED_RUNS = 21;

export const makespan: Row = {
	name: 'makespan',
	title: 'Makespan',

	async run(bench) {
		const ways = RUN_WAYS.filter((way) => way !== 'loop' || bench.n8n !== undefined);
		const table = [['jobs', 'measured in', 'way', 'makespan, s', 'of the optimum', 'refused']];
		const checks: Check[] = [];
		let refusedToUs = 0;

		const note = <Way extends RunWay>(where: Where, batch: Batch, results: Results<Way>) => {
			const optimum = shortestSeconds(batch.durations, BOUNDS);
			for (const [way, runs] of Object.entries(results) as Array<[Way, RunOfBatch[]]>) {
				const times = runs.map(({ tookSeconds }) => tookSeconds);
				const refused = Math.max(...runs.map((run) => run.refused));
				const cells = [NAMES[way], medianWithRange(times)];
				const ratios = medianWithRange(times.map((seconds) => seconds / optimum));
				table.push([batch.name, where, ...cells, ratios, String(refused)]);
				if (way === 'ours') refusedToUs += refused;
			}
			if (where === 'virtual time') checks.push(...checksOf(batch, results, optimum));
		};
		for (const batch of BATCHES) {
			const optimum = shortestSeconds(batch.durations, BOUNDS);
			table.push([batch.name, '', 'the optimum', medianWithRange([optimum]), '1', '0']);
			note('virtual time', batch, await simulate(batch));
			if (!bench.isQuick) note("n8n's engine", batch, await sideBySide(bench, batch, ways));
		}
		if (bench.isQuick) note("n8n's engine", SMALL, await sideBySide(bench, SMALL, ways));
		checks.push({ figureOf: 'calls refused with 429', value: refusedToUs, atMost: 0 });
		return {
			checks,
			table,
			notes:
				"The optimum follows from 10 starts in 60 s, 10 unfinished jobs at once (the default of Max Parallel Jobs), and the durations, with the jobs begun in their order and every end known at once. The loop is batched so that it keeps the limits (10 starts in 62 s, 20 polls in 31 s, 30 s of Wait), and a run of it in which it was refused nevertheless, since a timer was late, is repeated; the node that waits item by item polls every 5 s. Targets are for virtual time, in which the package's rate limiters and poll scheduler work without the node around them. On n8n's engine, times are those of the scaled clock, which multiplies by 10 to 20 what the machine takes, so they depend on its load.",
		};
	},
};

function checksOf({ name }: Batch, results: Results<RunWay>, optimum: number): Check[] {
	const medianOf = (runs: RunOfBatch[] = []) => median(runs.map(({ tookSeconds }) => tookSeconds));
	const ours = medianOf(results.ours);
	return [
		{
			figureOf: `of the optimum for ${name}`,
			value: ours / optimum,
			atMost: 1.05,
			isSimulated: true,
		},
		{
			figureOf: `of the loop's time for ${name}`,
			value: ours / medianOf(results.loop),
			atMost: 1,
			isSimulated: true,
		},
	];
}

async function simulate({ durations }: Batch): Promise<Results<BatchWay>> {
	const { maxParallel } = BOUNDS;
	const results: Record<BatchWay, RunOfBatch[]> = { ours: [], loop: [] };
	for (const way of BATCH_WAYS) {
		for (let seed = 0; seed < SIMULATED_RUNS; seed++) {
			const { makespanSeconds, refused } = await runBatch(way, durations, { maxParallel, seed });
			results[way].push({ tookSeconds: makespanSeconds, refused });
		}
	}
	return results;
}

// All ways at once: they wait most of the time, and have the same machine at the same time.
async function sideBySide(
	bench: Bench,
	batch: Batch,
	ways: readonly RunWay[],
): Promise<Results<RunWay>> {
	const rounds = await alternate(['all'], bench.runs, async () => {
		return await Promise.all(ways.map(async (way) => await measure(bench, batch, way)));
	});
	return Object.fromEntries(
		ways.map((way, index) => [way, rounds.all.flatMap((round) => round[index] ?? [])]),
	);
}

// The loop and the node that waits item by item don't survive a 429.
async function measure(bench: Bench, batch: Batch, way: RunWay): Promise<RunOfBatch> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await measureOnce(bench, batch, way);
		} catch (error) {
			if (way === 'ours' || attempt === MAX_ATTEMPTS) throw error;
		}
	}
}

async function measureOnce(bench: Bench, batch: Batch, way: RunWay): Promise<RunOfBatch> {
	const scale = batch.scale[way];
	const sandbox = await forkSandbox({ SANDBOX_TIME_SCALE: String(scale) });
	try {
		await sandbox.admin.nextJobs(batch.durations.map((durationSeconds) => ({ durationSeconds })));
		const jobs = batch.durations.length;
		const tookSeconds = await inChild(bench, 'runJobs', { way, url: sandbox.url, jobs, scale });
		const { rateLimited } = await sandbox.admin.counters();
		return { tookSeconds, refused: rateLimited };
	} finally {
		await sandbox.close();
	}
}

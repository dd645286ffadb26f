import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Bench, Check, Row } from '../Bench';
import { RUN_WAYS, type RunWay } from '../cases/runJobs';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { shortestSeconds } from '../optimum';
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

export const makespan: Row = {
	name: 'makespan',
	title: 'Makespan',

	async run(bench) {
		const ways = RUN_WAYS.filter((way) => way !== 'loop' || bench.n8n !== undefined);
		const checks: Check[] = [];
		const table = [['jobs', 'way', 'makespan, s', 'of the optimum', 'refused with 429']];
		let refusedToUs = 0;

		for (const batch of batches(bench)) {
			const optimum = shortestSeconds(batch.durations, BOUNDS);
			table.push([batch.name, 'the optimum', medianWithRange([optimum]), '1', '0']);
			const results = await sideBySide(bench, batch, ways);
			for (const way of ways) {
				const ratios = results[way].map(({ tookSeconds }) => tookSeconds / optimum);
				const refused = Math.max(...results[way].map((run) => run.refused));
				table.push([
					batch.name,
					NAMES[way],
					medianWithRange(results[way].map(({ tookSeconds }) => tookSeconds)),
					medianWithRange(ratios),
					String(refused),
				]);
				if (way === 'ours') refusedToUs += refused;
			}
			const ratio = (way: RunWay) =>
				median(results[way].map(({ tookSeconds }) => tookSeconds / optimum));
			checks.push({
				figureOf: `of the optimum for ${batch.name}`,
				value: ratio('ours'),
				atMost: 1.04,
			});
			if (!ways.includes('loop')) continue;
			checks.push({
				figureOf: `of the loop's time for ${batch.name}`,
				value: ratio('ours') / ratio('loop'),
				atMost: 0.999,
			});
		}
		checks.push({ figureOf: 'calls refused with 429', value: refusedToUs, atMost: 0 });
		return {
			checks,
			table,
			notes:
				'The optimum follows from 10 starts in 60 s, 10 unfinished jobs at once (the default of Max Parallel Jobs), and the durations, with the jobs begun in their order and every end known at once. The loop is batched so that it keeps the limits (10 starts in 62 s, 20 polls in 31 s, 30 s of Wait); the node that waits item by item polls every 5 s. Times are those of the scaled clock.',
		};
	},
};

function batches({ isQuick }: Bench): Batch[] {
	if (isQuick) {
		const scale = { ours: 60, loop: 60, itemByItem: 120 };
		return [{ name: '4 jobs of 10 s', durations: equalDurations(4, 10), scale }];
	}
	const few = { ours: 10, loop: 10, itemByItem: 60 };
	const many = { ours: 15, loop: 20, itemByItem: 150 };
	return [
		{ name: '20 jobs of 30 s', durations: equalDurations(20, 30), scale: few },
		{ name: '20 jobs of 10 to 90 s', durations: mixedDurations(20, 10, 90), scale: few },
		{ name: '100 jobs of 30 s', durations: equalDurations(100, 30), scale: many },
		{ name: '100 jobs of 10 to 90 s', durations: mixedDurations(100, 10, 90), scale: many },
	];
}

// All ways at once: they wait most of the time, and have the same machine at the same time.
async function sideBySide(bench: Bench, batch: Batch, ways: readonly RunWay[]) {
	const rounds = await alternate(['all'], bench.runs, async () => {
		return await Promise.all(ways.map(async (way) => await runBatch(bench, batch, way)));
	});
	const results = { ours: [], loop: [], itemByItem: [] } as Record<RunWay, RunOfBatch[]>;
	for (const round of rounds.all) {
		round.forEach((result, index) => results[ways[index] as RunWay].push(result));
	}
	return results;
}

async function runBatch(bench: Bench, batch: Batch, way: RunWay): Promise<RunOfBatch> {
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

import type { Check, Row } from '../Bench';
import { figure, median, medianWithRange } from '../figures';
import { shortestSeconds } from '../optimum';
import { BATCH_WAYS, runBatch, type BatchWay } from '../simulation/runBatch';
import { mixedDurations } from './durations';

const NAMES: Record<BatchWay, string> = {
	ours: 'Agent: Run',
	loop: 'HTTP Request + Wait + IF loop',
};
// The service's own, and the node's default.
const BOUNDS = { startsPerWindow: 10, windowSeconds: 60, maxParallel: 10 };
const BATCHES = [
	// Spaced polls see each end up to ten seconds late, but none half a minute late.
	{
		name: '20 jobs of 30 s',
		durations: Array<number>(20).fill(30),
		targets: { optimum: 1.12, loop: 1.1 },
	},
	{
		name: '20 jobs of 10 to 90 s',
		durations: mixedDurations(20, 10, 90),
		targets: { optimum: 1.05, loop: 1 },
	},
	{
		name: '100 jobs of 30 s',
		durations: Array<number>(100).fill(30),
		targets: { optimum: 1.05, loop: 1 },
	},
	{
		name: '100 jobs of 10 to 90 s',
		durations: mixedDurations(100, 10, 90),
		targets: { optimum: 1.05, loop: 1 },
	},
];
// A single late poll of the last job adds a percent to the makespan.
const RUNS = 21;

export const makespan: Row = {
	name: 'makespan',
	title: 'Makespan',
	isSimulated: true,

	async run() {
		const table = [['jobs', 'optimum, s', 'way', 'makespan, s', 'times the optimum', 'refused']];
		const checks: Check[] = [];
		let refusedToUs = 0;

		for (const { name, durations, targets } of BATCHES) {
			const optimum = shortestSeconds(durations, BOUNDS);
			const seconds = { ours: NaN, loop: NaN };
			for (const way of BATCH_WAYS) {
				const results = [];
				for (let seed = 0; seed < RUNS; seed++) {
					results.push(await runBatch(way, durations, { maxParallel: BOUNDS.maxParallel, seed }));
				}
				const times = results.map(({ makespanSeconds }) => makespanSeconds);
				const refused = Math.max(...results.map((result) => result.refused));
				const ratios = medianWithRange(times.map((time) => time / optimum));
				const cells = [medianWithRange(times), ratios, String(refused)];
				table.push([name, figure(optimum), NAMES[way], ...cells]);
				seconds[way] = median(times);
				if (way === 'ours') refusedToUs += refused;
			}
			const ofOptimum = seconds.ours / optimum;
			const ofLoop = seconds.ours / seconds.loop;
			checks.push(
				{ figureOf: `times the optimum for ${name}`, value: ofOptimum, atMost: targets.optimum },
				{ figureOf: `times the loop's time for ${name}`, value: ofLoop, atMost: targets.loop },
			);
		}
		checks.push({ figureOf: 'calls refused with 429', value: refusedToUs, atMost: 0 });
		return {
			checks,
			table,
			notes:
				'The rate limiters and the waits in simulated time, without the node around them. The optimum is the shortest time that the durations allow with 10 starts in 60 s and 10 unfinished jobs at once (the default of Max Parallel Jobs), if jobs are started in their order and every end is known at once. The loop works in batches that stay within the limits: 10 starts in 62 s, 20 polls in 31 s, 30 s of Wait.',
		};
	},
};

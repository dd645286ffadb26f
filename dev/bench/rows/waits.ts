import type { Check, Row } from '../Bench';
import { figure, mean, median, quantile } from '../figures';
import { toTable } from '../results';
import { runWaits, type WaitPlan } from '../simulation/runWaits';
import { shareAccount } from '../simulation/shareAccount';
import { mixedDurations } from './durations';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A situation, and what is measured in it. */
interface Case {
	what: string;
	figures: Array<Pick<Check, 'unit' | 'atMost' | 'isOffPage'> & { name: string }>;
	/** How often it is simulated, each time with different random numbers; the medians are shown. */
	runs: number;
	measure(seed: number): Promise<number[]>;
}

const CASES: Case[] = [
	{
		what: 'one job of 1 to 10 min',
		figures: [
			{ name: 'mean delay', unit: ' s', atMost: 3 },
			{ name: 'status calls', atMost: 90 },
		],
		runs: 5,
		async measure(seed) {
			const reports = [];
			for (let job = 0; job < 100; job++) {
				const durationSeconds = MINUTE + 9 * MINUTE * ((job + (seed + 0.5) / 5) / 100);
				reports.push(...(await runWaits([{ durationSeconds }], seed * 100 + job)));
			}
			return [meanDelay(reports), mean(reports.map(({ polls }) => polls))];
		},
	},
	{
		what: '20 jobs of 1 to 10 min',
		figures: [
			{ name: 'mean delay', unit: ' s', atMost: 7 },
			{ name: '90th percentile of the delay', unit: ' s', atMost: 17.6, isOffPage: true },
		],
		runs: 21,
		async measure(seed) {
			const reports = await runWaits(plansOf(mixedDurations(20, MINUTE, 10 * MINUTE)), seed);
			return [meanDelay(reports), quantile(delaysOf(reports), 0.9)];
		},
	},
	{
		what: '1,000 jobs of 10 to 60 min',
		// Round robin, one poll a second, has 321 s.
		figures: [{ name: 'mean delay', unit: ' s', atMost: 340 }],
		runs: 3,
		async measure(seed) {
			const durations = mixedDurations(1_000, 10 * MINUTE, HOUR);
			return [meanDelay(await runWaits(plansOf(durations, { isForeign: true }), seed))];
		},
	},
	{
		what: 'a job of 20 s beside 50 waits',
		figures: [{ name: 'delay', unit: ' s', atMost: 28.6 }],
		runs: 21,
		async measure(seed) {
			const others = plansOf(Array<number>(50).fill(HOUR), { maxWaitSeconds: 10 * MINUTE });
			const joining = { beginsAt: 5 * MINUTE + seed, durationSeconds: 20 };
			const reports = await runWaits([...others, joining], seed);
			return [reports.at(-1)?.lateSeconds ?? NaN];
		},
	},
	{
		what: '22 jobs that had ended before',
		figures: [{ name: 'until all are seen', unit: ' s', atMost: 1, isOffPage: true }],
		runs: 3,
		async measure(seed) {
			const reports = await runWaits(plansOf(Array<number>(22).fill(0), { isForeign: true }), seed);
			return [Math.max(...reports.map(({ endedAt }) => endedAt))];
		},
	},
	{
		what: 'a wait while calls are refused for 30 min',
		figures: [{ name: 'end after its deadline', unit: ' s', atMost: 4.3, isOffPage: true }],
		runs: 3,
		async measure(seed) {
			const others = plansOf([HOUR, HOUR]);
			const wait = { beginsAt: 10, durationSeconds: HOUR, maxWaitSeconds: MINUTE };
			const reports = await runWaits([...others, wait], seed, { closedForMs: 30 * MINUTE * 1000 });
			return [reports.at(-1)?.lateSeconds ?? NaN];
		},
	},
	{
		what: '8 processes of one account',
		figures: [
			{ name: 'calls refused', unit: ' %', atMost: 5, isOffPage: true },
			{ name: 'most starts, times the fewest', atMost: 3, isOffPage: true },
		],
		runs: 9,
		async measure(seed) {
			const { refusedPercent, imbalance } = await shareAccount(8, seed);
			return [refusedPercent, imbalance];
		},
	},
];

export const waits: Row = {
	name: 'waits',
	title: 'Waits',
	isSimulated: true,

	async run() {
		const checks: Check[] = [];
		for (const { what, figures, runs, measure } of CASES) {
			const results: number[][] = [];
			for (let seed = 0; seed < runs; seed++) results.push(await measure(seed));
			figures.forEach(({ name, ...target }, index) => {
				const value = median(results.map((result) => result[index] ?? NaN));
				checks.push({ figureOf: `${what}: ${name}`, value, ...target });
			});
		}
		const [delay, calls] = checks.map(({ value }) => figure(value));
		return {
			summary: [
				`**A job of 1 to 10 min** takes ${calls} status calls.`,
				`**Its end** is seen ${delay} s late on average.`,
			],
			checks,
			table: toTable(checks),
			notes: 'Medians of several random seeds.',
		};
	},
};

function plansOf(durations: number[], more: Partial<WaitPlan> = {}): WaitPlan[] {
	return durations.map((durationSeconds) => ({ durationSeconds, ...more }));
}

function delaysOf(reports: Array<{ lateSeconds: number }>): number[] {
	return reports.map(({ lateSeconds }) => lateSeconds);
}

function meanDelay(reports: Array<{ lateSeconds: number }>): number {
	return mean(delaysOf(reports));
}

import type { Check, Row } from '../Bench';
import { figure, mean, median, quantile } from '../figures';
import { runBatch } from '../simulation/runBatch';
import { runWaits, type WaitPlan } from '../simulation/runWaits';
import { shareAccount } from '../simulation/shareAccount';
import { simulateAccount } from '../simulation/simulateAccount';
import { SimulatedProcess } from '../simulation/SimulatedProcess';
import { mixedDurations } from './durations';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A situation, and what is measured in it. */
interface Case {
	what: string;
	/** The name and unit of each figure. */
	figures: string[];
	/** How often it is simulated, each time with different random numbers; the medians are shown. */
	runs: number;
	measure(seed: number): Promise<number[]>;
	/** The first figures of the scheduler that chose among all waits of an account (commit 3f91be3). */
	before: number[];
	/** The targets of the first figures: at most these. */
	atMost?: number[];
}

const RATIO = 'times the CPU per poll of 1,000 waits';

const CASES: Case[] = [
	{
		what: 'a job of 1 to 10 min alone',
		figures: ['mean delay, s', 'polls'],
		runs: 5,
		async measure(seed) {
			const reports = [];
			for (let job = 0; job < 100; job++) {
				const durationSeconds = MINUTE + 9 * MINUTE * ((job + (seed + 0.5) / 5) / 100);
				reports.push(...(await runWaits([{ durationSeconds }], seed * 100 + job)));
			}
			return [meanDelay(reports), mean(reports.map(({ polls }) => polls))];
		},
		before: [2.83, 87.1],
		atMost: [3, 90],
	},
	{
		what: '20 jobs of 30 s, ten at a time',
		figures: ['median delay, s', 'longest delay, s', 'all done after, s'],
		runs: 21,
		measure: async (seed) => await batchOf(20, seed),
		before: [1.11, 31.2, 91.7],
		atMost: [5.5, 10.9, 110],
	},
	{
		what: '100 jobs of 30 s, ten at a time',
		figures: ['median delay, s', 'longest delay, s', 'all done after, s'],
		runs: 5,
		measure: async (seed) => await batchOf(100, seed),
		before: [1.26, 31.1, 576],
		atMost: [5.5, 11, 639],
	},
	{
		what: '20 jobs of 1 to 10 min',
		figures: ['mean delay, s', '90th percentile of the delay, s'],
		runs: 21,
		async measure(seed) {
			const reports = await runWaits(plansOf(mixedDurations(20, MINUTE, 10 * MINUTE)), seed);
			return [meanDelay(reports), quantile(delaysOf(reports), 0.9)];
		},
		before: [5.17, 11],
		atMost: [7, 17.6],
	},
	...[
		{ count: 200, before: [55.4] },
		{ count: 1_000, before: [318] },
	].map(({ count, before }): Case => ({
		what: `${figure(count)} jobs of 10 to 60 min`,
		figures: ['mean delay, s'],
		runs: 3,
		async measure(seed) {
			const durations = mixedDurations(count, 10 * MINUTE, HOUR);
			return [meanDelay(await runWaits(plansOf(durations, { isForeign: true }), seed))];
		},
		before,
	})),
	{
		what: 'a job of 20 s that joins 50 waits',
		figures: ['delay, s'],
		runs: 21,
		async measure(seed) {
			const others = plansOf(Array<number>(50).fill(HOUR), { maxWaitSeconds: 10 * MINUTE });
			const joining = { beginsAt: 5 * MINUTE + seed, durationSeconds: 20 };
			const reports = await runWaits([...others, joining], seed);
			return [reports.at(-1)?.lateSeconds ?? NaN];
		},
		before: [31.9],
		atMost: [28.6],
	},
	{
		what: '22 jobs that had ended before',
		figures: ['until all ends are seen, s'],
		runs: 3,
		async measure(seed) {
			const reports = await runWaits(plansOf(Array<number>(22).fill(0), { isForeign: true }), seed);
			return [Math.max(...reports.map(({ endedAt }) => endedAt))];
		},
		before: [0.071],
		atMost: [1],
	},
	...[
		{ maxWaitSeconds: 30, before: [50, 50] },
		{ maxWaitSeconds: 10 * MINUTE, before: [100, 96.7] },
	].map(({ maxWaitSeconds, before }): Case => ({
		what: `waits that all end after ${figure(maxWaitSeconds)} s`,
		figures: ['without a last poll, % of 20', 'without a last poll, % of 60'],
		runs: 11,
		measure: async (seed) => [
			await percentWithoutLastPoll(20, maxWaitSeconds, seed),
			await percentWithoutLastPoll(60, maxWaitSeconds, seed),
		],
		before,
	})),
	{
		what: 'a wait that joins two others while calls are refused for 30 min',
		figures: ['delay after its deadline, s'],
		runs: 3,
		async measure(seed) {
			const others = plansOf([HOUR, HOUR]);
			const wait = { beginsAt: 10, durationSeconds: HOUR, maxWaitSeconds: MINUTE };
			const reports = await runWaits([...others, wait], seed, { closedForMs: 30 * MINUTE * 1000 });
			return [reports.at(-1)?.lateSeconds ?? NaN];
		},
		before: [1_732],
		atMost: [4.3],
	},
	...[
		{ processes: 2, before: [1.98, 0.955] },
		{ processes: 4, before: [3.03, 0.959] },
		{ processes: 8, before: [4.42, 0.948] },
	].map(({ processes, before }): Case => ({
		what: `${processes} processes of one account`,
		figures: ['calls refused, %', "Jain's index of their starts"],
		runs: 9,
		async measure(seed) {
			const { refusedPercent, fairness } = await shareAccount(processes, seed);
			return [refusedPercent, fairness];
		},
		before,
	})),
	{
		what: '10,000 waits',
		figures: ['polls in an hour', 'CPU per poll, without the call itself, ms', RATIO],
		runs: 3,
		async measure(seed) {
			const few = await costOfPolls(1_000, seed);
			const many = await costOfPolls(10_000, seed);
			const callMs = await costOfCall(many.pollsInHour, seed);
			return [many.pollsInHour, many.cpuMs - callMs, many.cpuMs / few.cpuMs];
		},
		before: [3_600, 0.178],
		atMost: [3_600, 0.6, 3],
	},
];

export const waits: Row = {
	name: 'waits',
	title: 'Waits',
	isSimulated: true,

	async run({ isQuick }) {
		const checks: Check[] = [];
		const table = [['waits', 'figure', 'at commit 3f91be3', 'now']];
		for (const { what, figures, before, atMost = [], ...one } of CASES) {
			const results: number[][] = [];
			const runs = isQuick ? 1 : one.runs;
			for (let seed = 0; seed < runs; seed++) results.push(await one.measure(seed));
			figures.forEach((name, index) => {
				const value = median(results.map((result) => result[index] ?? NaN));
				const old = before[index];
				table.push([what, name, old === undefined ? 'not measured' : figure(old), figure(value)]);
				const target = atMost[index];
				// One simulation says little about the other targets, or measures the machine.
				if (target === undefined || (isQuick && name !== RATIO)) return;
				checks.push({ figureOf: `${name} (${what})`, value, atMost: target });
			});
		}
		return {
			checks,
			table,
			notes:
				"Medians of several runs with different random numbers: the rate limiters and the waits, without the node around them. The delay is the time from a job's end to the poll that sees it. At commit 3f91be3, one scheduler chose the next job among all waits of an account; its figures were measured with the same rows, on the same machine. Jobs of a batch are started within the rate limit for starts; all other waits begin at the same time unless stated otherwise. The last poll of a wait is given up four seconds after its deadline (two at commit 3f91be3); a busy account has four calls in that time. Processes work for ten minutes before the ten minutes that are measured. The service is the sandbox, in the same process and without a network. The CPU is that of the cheapest of four hours after the first, less that of a call without a wait, which the ratio contains; it contains what the sandbox does for 10,000 jobs, which the figure at commit 3f91be3 does not.",
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

async function batchOf(count: number, seed: number): Promise<number[]> {
	const durations = Array<number>(count).fill(30);
	const { delays, makespanSeconds } = await runBatch(durations, { maxParallel: 10, seed });
	return [median(delays), Math.max(...delays), makespanSeconds];
}

async function percentWithoutLastPoll(count: number, maxWaitSeconds: number, seed: number) {
	const plans = plansOf(Array<number>(count).fill(2 * HOUR), { maxWaitSeconds });
	const without = (await runWaits(plans, seed)).filter(({ hadLastPoll }) => !hadLastPoll);
	return (100 * without.length) / count;
}

/**
 * The CPU time of a poll among this many waits, in ms, and how many polls there are in an hour. Of
 * several hours, the one counts that other work on the machine has disturbed least.
 */
async function costOfPolls(count: number, seed: number) {
	const { account, random } = simulateAccount(seed);
	const { clock, polls } = account;
	const waiting = new SimulatedProcess(account, random);
	for (let wait = 0; wait < count; wait++) {
		void waiting.waitFor({ jobId: account.givenJob(24 * HOUR * 1000).id });
	}
	// The first hour begins with a burst.
	await clock.sleep(HOUR * 1000);

	const costs: number[] = [];
	let pollsInHour = 0;
	for (let hour = 0; hour < 4; hour++) {
		const pollsBefore = polls.length;
		const cpuBefore = process.cpuUsage();
		await clock.sleep(HOUR * 1000);
		pollsInHour = polls.length - pollsBefore;
		costs.push(cpuMsSince(cpuBefore) / pollsInHour);
	}
	clock.stop();
	return { cpuMs: Math.min(...costs), pollsInHour };
}

/** The CPU time of a status call, with the client and the sandbox, in ms. */
async function costOfCall(calls: number, seed: number): Promise<number> {
	const { account } = simulateAccount(seed);
	const client = account.connect();
	const { id } = account.givenJob(3 * HOUR * 1000);
	const permit = { release() {}, cancel() {} };
	const before = process.cpuUsage();
	for (let call = 0; call < calls; call++) {
		await client.getJob(id, { permit });
		await account.clock.sleep(1000);
	}
	return cpuMsSince(before) / calls;
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

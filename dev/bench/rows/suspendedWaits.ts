import type { Row } from '../Bench';
import { figure, median, quantile } from '../figures';
import { suspendWaits, type SuspendReport } from '../simulation/suspendWaits';
import { mixedDurations } from './durations';

const MINUTE = 60;
const BATCHES = [
	{
		name: '200 jobs of 3 to 10 min',
		durations: mixedDurations(200, 3 * MINUTE, 10 * MINUTE),
		before: ['84.8', '94.2', '63.6; 151; 238', '306'],
	},
	{
		name: '1,000 jobs of 10 to 60 min',
		durations: mixedDurations(1_000, 10 * MINUTE, 60 * MINUTE),
		before: ['498', '94.8', '275; 711; 1,000', '1,089'],
	},
];

export const suspendedWaits: Row = {
	name: 'suspendedWaits',
	title: 'Suspended waits',
	isSimulated: true,

	async run() {
		const reports: SuspendReport[] = [];
		for (const { durations } of BATCHES) reports.push(await suspendWaits(durations, 1));
		const [few, many] = reports;
		return {
			checks: [
				{
					figureOf: 'executions running at a time (200 waits)',
					value: few?.running ?? NaN,
					atMost: 3,
				},
				{
					figureOf: 'executions running at a time (1,000 waits)',
					value: many?.running ?? NaN,
					atMost: 3,
				},
				{
					figureOf: 'median delay (200 waits)',
					value: median(few?.delays ?? []),
					atMost: 95,
					unit: ' s',
				},
				{
					figureOf: 'longest delay (200 waits)',
					value: Math.max(...(few?.delays ?? [])),
					atMost: 300,
					unit: ' s',
				},
				{
					figureOf: 'of the poll limit left unused (200 waits)',
					value: 100 - (few?.percentOfLimit ?? NaN),
					// All are suspended at once, and in the first 66 s after that no round can come.
					atMost: 35,
					unit: ' %',
				},
			],
			table: [
				[
					'waits',
					'commit',
					'running at a time',
					'poll limit used, %',
					'delay, s (median; 90 %; longest)',
					'longest gap between polls, s',
				],
				...BATCHES.flatMap(({ name, before }, index) => [
					[name, '535ce3f', ...before],
					[name, 'now', ...toCells(reports[index])],
				]),
			],
			notes:
				"One execution for each job, all begun at the same time, in simulated time and without n8n. The delay is the time from a job's end to the poll that sees it. An execution counts as running while it polls or waits for a permit, after the first minute, in which all of them wait in the process. The use of the poll limit is measured until sixty waits are left. For the first 66 s it is zero: all waits were suspended at once, and n8n resumes none of them before that. At commit 535ce3f, a round waited up to a minute for its permits, and the next one was scheduled without regard to others.",
		};
	},
};

function toCells(report: SuspendReport | undefined): string[] {
	if (report === undefined) return [];
	const { running, percentOfLimit, delays, longestGap } = report;
	const delay = [median(delays), quantile(delays, 0.9), Math.max(...delays)];
	return [
		figure(running),
		figure(percentOfLimit),
		delay.map(figure).join('; '),
		figure(longestGap),
	];
}

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
					figureOf: 'executions running at a time (200)',
					value: few?.running ?? NaN,
					atMost: 3,
				},
				{
					figureOf: 'executions running at a time (1,000)',
					value: many?.running ?? NaN,
					atMost: 3,
				},
				{
					figureOf: 'until an end is seen (200, median)',
					value: median(few?.delays ?? []),
					atMost: 95,
					unit: ' s',
				},
				{
					figureOf: 'until an end is seen (200, most)',
					value: Math.max(...(few?.delays ?? [])),
					atMost: 300,
					unit: ' s',
				},
				{
					figureOf: 'of the poll limit left unused (200)',
					value: 100 - (few?.percentOfLimit ?? NaN),
					// No round can come in the first 66 s after all are suspended at once.
					atMost: 35,
					unit: ' %',
				},
			],
			table: [
				[
					'waits',
					'at commit',
					'running at a time',
					'of the poll limit, %',
					'ends seen after, s (median; 90 %; most)',
					'longest time without a look, s',
				],
				...BATCHES.flatMap(({ name, before }, index) => [
					[name, '535ce3f', ...before],
					[name, 'this one', ...toCells(reports[index])],
				]),
			],
			notes:
				'One execution for each job, all begun at the same time, in virtual time and without n8n. Running are those that poll or wait for a permit after the first minute, in which all wait in the process. The use of the poll limit counts until sixty waits are left; for its first 66 s, in which n8n resumes nothing, it is zero, since all were suspended at once. At commit 535ce3f, a round waited for its permits for up to a minute, and came again without regard to others.',
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

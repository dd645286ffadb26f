import type { Row } from '../Bench';
import { figure, median, quantile } from '../figures';
import { suspendWaits, type SuspendReport } from '../simulation/suspendWaits';
import { mixedDurations } from './durations';

const MINUTE = 60;
/** Jobs that are waited for at the same time. */
interface Batch {
	name: string;
	/** The number of n8n processes that run rounds. */
	workers: number;
	/** In s. */
	durations: number[];
}

const FEW = mixedDurations(200, 3 * MINUTE, 10 * MINUTE);
const FEW_NAME = '200 jobs of 3 to 10 min';
const BATCHES: Batch[] = [
	{ name: FEW_NAME, workers: 1, durations: FEW },
	{ name: FEW_NAME, workers: 3, durations: FEW },
	{ name: FEW_NAME, workers: 5, durations: FEW },
	{
		name: '1,000 jobs of 10 to 60 min',
		workers: 1,
		durations: mixedDurations(1_000, 10 * MINUTE, 60 * MINUTE),
	},
];

export const suspendedWaits: Row = {
	name: 'suspendedWaits',
	title: 'Suspended waits',
	isSimulated: true,

	async run() {
		const reports: SuspendReport[] = [];
		for (const { durations, workers } of BATCHES) {
			reports.push(await suspendWaits(durations, 1, workers));
		}
		const few = reports[0] as SuspendReport;
		return {
			checks: [
				...reports.map(({ running }, index) => ({
					figureOf: `executions running at a time (${toTitle(BATCHES[index] as Batch)})`,
					value: running,
					atMost: 3,
				})),
				{ figureOf: 'median delay (200 jobs)', value: median(few.delays), atMost: 95, unit: ' s' },
				{
					figureOf: 'longest delay (200 jobs)',
					value: Math.max(...few.delays),
					atMost: 300,
					unit: ' s',
				},
				{ figureOf: 'calls refused with a 429 (200 jobs)', value: few.refused, atMost: 0 },
			],
			table: [
				[
					'jobs',
					'workers',
					'running at a time',
					'poll limit used, %',
					'delay, s (median; 90 %; longest)',
					'longest gap between polls, s',
					'refused',
				],
				...BATCHES.map(({ name, workers }, index) => [
					name,
					String(workers),
					...toCells(reports[index] as SuspendReport),
				]),
			],
			notes:
				"One execution for each job, all begun at the same time, in simulated time and without n8n. The delay is the time from a job's end to the poll that sees it. An execution counts as running while it polls or waits for a permit, after the first minute, in which all of them wait in the process. The use of the poll limit is measured until sixty waits are left; for the first 66 s it is zero, since n8n resumes none of them before that. Each worker counts only the jobs that it has polled last, so several workers on one account poll too often at first, until refused calls have reduced their shares of the limit.",
		};
	},
};

function toTitle({ name, workers }: Batch): string {
	return workers === 1 ? name : `${name}, ${workers} workers`;
}

function toCells({ running, percentOfLimit, delays, longestGap, refused }: SuspendReport) {
	const delay = [median(delays), quantile(delays, 0.9), Math.max(...delays)];
	return [
		figure(running),
		figure(percentOfLimit),
		delay.map(figure).join('; '),
		figure(longestGap),
		String(refused),
	];
}

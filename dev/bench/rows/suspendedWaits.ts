import type { Row } from '../Bench';
import { figure, median } from '../figures';
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
	isQuick: true,

	async run({ isQuick }) {
		const batches = BATCHES.filter(({ durations }) => !isQuick || durations === FEW);
		const reports: SuspendReport[] = [];
		for (const { durations, workers } of batches) {
			reports.push(await suspendWaits(durations, 1, workers));
		}
		const few = reports[0] as SuspendReport;
		return {
			checks: [
				...reports.map(({ running }, index) => ({
					figureOf: `executions running at a time (${toTitle(batches[index] as Batch)})`,
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
			summary: [
				`**200 suspended waits** keep ${figure(few.running)} executions running on average, with a median delay of ${figure(median(few.delays))} s.`,
			],
			table: [
				['', 'running', 'median delay, s', 'longest, s'],
				...batches.flatMap(({ name, workers }, index) => {
					const { running, delays } = reports[index] as SuspendReport;
					const cells = [running, median(delays), Math.max(...delays)].map(figure);
					return workers === 1 ? [[name, ...cells]] : [];
				}),
			],
			notes:
				'Running: executions that poll or wait for their turn, after the first minute; target 3.',
		};
	},
};

function toTitle({ name, workers }: Batch): string {
	return workers === 1 ? name : `${name}, ${workers} workers`;
}

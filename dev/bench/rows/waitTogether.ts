import type { Check, Row } from '../Bench';
import { figure, median, medianWithRange } from '../figures';
import {
	TOGETHER_WAYS,
	waitTogether as waitFor,
	type TogetherResult,
	type TogetherWay,
} from '../simulation/waitTogether';
import { mixedDurations } from './durations';

const NAMES: Record<TogetherWay, string> = {
	ours: 'ours',
	roundRobin: 'round robin, one poll a second',
};
const MINUTE = 60;

export const waitTogether: Row = {
	name: 'waitTogether',
	title: 'Waiting together',
	isSimulated: true,

	async run({ isQuick, runs }) {
		const checks: Check[] = [];
		const table = [['jobs', 'way', 'poll limit used, %', 'longest gap, s', 'mean delay, s']];
		const refused: number[] = [];
		for (const count of isQuick ? [200] : [200, 400, 1_000]) {
			const durations = mixedDurations(count, 10 * MINUTE, 60 * MINUTE);
			const results: Record<TogetherWay, TogetherResult[]> = { ours: [], roundRobin: [] };
			for (const way of TOGETHER_WAYS) {
				for (let seed = 0; seed < runs; seed++) {
					results[way].push(await waitFor(way, durations, seed));
				}
				const shown = (key: keyof TogetherResult) => {
					return medianWithRange(results[way].map((result) => result[key]));
				};
				const figures = [shown('percentOfLimit'), shown('longestGapSeconds')];
				table.push([figure(count), NAMES[way], ...figures, shown('meanDelaySeconds')]);
			}
			refused.push(...results.ours.map((result) => result.refused));
			const of = (way: TogetherWay, key: keyof TogetherResult) =>
				median(results[way].map((result) => result[key]));
			const share = (key: keyof TogetherResult) => of('ours', key) / of('roundRobin', key);
			const ofGap = share('longestGapSeconds');
			const ofDelay = share('meanDelaySeconds');
			const jobs = `with ${figure(count)} jobs`;
			checks.push(
				{
					figureOf: `of the poll limit left unused ${jobs}`,
					value: 100 - of('ours', 'percentOfLimit'),
					atMost: 5,
					unit: ' %',
				},
				{ figureOf: `times round robin's longest gap ${jobs}`, value: ofGap, atMost: 1.3 },
				{ figureOf: `times round robin's mean delay ${jobs}`, value: ofDelay, atMost: 1.15 },
			);
		}
		checks.push({ figureOf: 'polls refused with 429', value: Math.max(...refused), atMost: 0 });
		return {
			checks,
			table,
			notes:
				'Waits for jobs of 10 to 60 min, all begun at the same moment, in simulated time and with the rate limits of the sandbox. The use of the limit and the longest gap between two polls of a job are measured while all jobs are running. Without knowledge of the durations, nothing does better than polling, once a second, the job whose last poll is longest ago: that is round robin, here without latency.',
		};
	},
};

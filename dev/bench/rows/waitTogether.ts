import type { Check, Row } from '../Bench';
import { figure, median, medianWithRange } from '../figures';
import {
	TOGETHER_WAYS,
	waitTogether as waitFor,
	type TogetherWay,
} from '../simulation/waitTogether';
import { mixedDurations } from './durations';

const NAMES: Record<TogetherWay, string> = {
	ours: 'ours',
	roundRobin: 'round robin, one poll a second',
};
const MINUTE = 60;
const PERCENT = 100;

export const waitTogether: Row = {
	name: 'waitTogether',
	title: 'Waiting together',
	isSimulated: true,

	async run({ isQuick, runs }) {
		const checks: Check[] = [];
		const table = [
			[
				'jobs',
				'way',
				'of the poll limit, %',
				'longest gap, s',
				'mean delay, s',
				'refused with 429',
			],
		];
		let refused = 0;
		for (const count of isQuick ? [200] : [200, 400, 1_000]) {
			const durations = mixedDurations(count, 10 * MINUTE, 60 * MINUTE);
			const medians = new Map<TogetherWay, Record<'share' | 'gap' | 'delay', number>>();
			for (const way of TOGETHER_WAYS) {
				const results = [];
				for (let seed = 0; seed < runs; seed++) results.push(await waitFor(way, durations, seed));
				const shares = results.map(({ shareOfLimit }) => PERCENT * Math.min(1, shareOfLimit));
				const gaps = results.map(({ longestGapSeconds }) => longestGapSeconds);
				const delays = results.map(({ meanDelaySeconds }) => meanDelaySeconds);
				medians.set(way, { share: median(shares), gap: median(gaps), delay: median(delays) });
				if (way === 'ours') refused += Math.max(...results.map((result) => result.refused));
				table.push([
					figure(count),
					NAMES[way],
					medianWithRange(shares),
					medianWithRange(gaps),
					medianWithRange(delays),
					String(Math.max(...results.map((result) => result.refused))),
				]);
			}
			checks.push(...checksOf(count, medians));
		}
		checks.push({
			figureOf: 'polls refused with 429',
			value: refused,
			atMost: 0,
		});
		return {
			checks,
			table,
			notes:
				'Jobs of 10 to 60 min that all begin to be waited for at the same moment, in virtual time, with the rate limits of the sandbox. The share of the limit and the longest gap are counted while all jobs wait. As all jobs are equally likely to end, nobody who does not know their durations can do better than to poll the one that was not polled for longest, once a second: that is round robin, which has no latency here.',
		};
	},
};

function checksOf(
	count: number,
	medians: Map<TogetherWay, Record<'share' | 'gap' | 'delay', number>>,
): Check[] {
	const ours = medians.get('ours');
	const fair = medians.get('roundRobin');
	if (ours === undefined || fair === undefined) throw new Error('Both are measured');
	const jobs = `with ${figure(count)} jobs`;
	return [
		{
			figureOf: `of the poll limit ${jobs}`,
			value: ours.share,
			atLeast: 95,
			unit: ' %',
		},
		{
			figureOf: `of round robin's longest gap ${jobs}`,
			value: ours.gap / fair.gap,
			atMost: 1.25,
		},
		{
			figureOf: `of round robin's mean delay ${jobs}`,
			value: ours.delay / fair.delay,
			atMost: 1.15,
		},
	];
}

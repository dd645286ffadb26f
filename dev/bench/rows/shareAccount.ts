import type { Check, Row } from '../Bench';
import { figure, median, medianWithRange } from '../figures';
import {
	shareAccount as share,
	SHARING_WAYS,
	sharingLimits,
	type SharingOptions,
	type SharingResult,
	type SharingWay,
} from '../simulation/shareAccount';

const NAMES: Record<SharingWay, string> = { ours: 'ours', loop: 'HTTP Request + Wait + IF loop' };
const MINUTES = 10;
const PERCENT = 100;
// Ten minutes have a hundred starts, so that single runs differ widely.
const RUNS = 9;

type Situation = Omit<SharingOptions, 'seed'>;

export const shareAccount: Row = {
	name: 'shareAccount',
	title: 'Shared account',

	async run({ isQuick }) {
		const checks: Check[] = [];
		const table = [
			[
				'processes',
				'before',
				'way',
				'of the start limit, %',
				'refused, %',
				"Jain's index of starts",
			],
		];
		for (const situation of situations(isQuick)) {
			const limits = sharingLimits(situation);
			for (const way of SHARING_WAYS) {
				const results = await repeat(way, situation, RUNS);
				table.push(toCells(situation, NAMES[way], results));
				// Targets are for processes that have had the time to learn of one another.
				if (way === 'ours' && situation.warmUpMinutes > 0) {
					checks.push(...checksOf(situation, results, limits));
				}
			}
			table.push(toCells(situation, 'the limit', [limits]));
		}
		return {
			checks,
			table,
			notes: `Processes that don't know of each other and always have 10 jobs of 30 to 90 s to run, for ${MINUTES} minutes in virtual time, with the rate limits of the sandbox, after a cold start or after having worked for as long as it says. Refused are starts and polls together. Limits: ${MINUTES * 10} starts can't be spread evenly over 64 processes (Jain's index is ${figure(sharingLimits({ processes: 64, warmUpMinutes: 0, minutes: MINUTES }).fairness)} at best, and already ${figure(1 / (1 + 64 / (MINUTES * 10)))} if all have the same chance at each start), and of 64 cold processes that begin in the same minute at least 54 have their first start refused, before they can know of one another. From a cold start the targets for refused calls and fairness (5 %, 0.9) are not reached, with 8 processes or with 64: each process uses the whole limit until it is refused. So the targets are judged for processes that have worked before.`,
		};
	},
};

function situations(isQuick: boolean): Situation[] {
	const of = (processes: number, warmUpMinutes: number) => ({
		processes,
		warmUpMinutes,
		minutes: MINUTES,
	});
	return isQuick ? [of(8, 10)] : [of(8, 0), of(8, 10), of(64, 0), of(64, 30)];
}

async function repeat(way: SharingWay, situation: Situation, runs: number) {
	const results: SharingResult[] = [];
	for (let seed = 0; seed < runs; seed++) results.push(await share(way, { ...situation, seed }));
	return results;
}

function toCells(
	{ processes, warmUpMinutes }: Situation,
	name: string,
	results: SharingResult[],
): string[] {
	return [
		String(processes),
		warmUpMinutes === 0 ? 'cold start' : `${warmUpMinutes} min`,
		name,
		medianWithRange(results.map(({ shareOfStarts }) => PERCENT * shareOfStarts)),
		medianWithRange(results.map(({ refused }) => PERCENT * refused)),
		medianWithRange(results.map(({ fairness }) => fairness)),
	];
}

function checksOf(
	{ processes, warmUpMinutes }: Situation,
	results: SharingResult[],
	limits: SharingResult,
): Check[] {
	const who = `with ${processes} processes after ${warmUpMinutes} min`;
	const medianOf = (key: keyof SharingResult) => median(results.map((result) => result[key]));
	return [
		{
			figureOf: `of the start limit ${who}`,
			value: PERCENT * medianOf('shareOfStarts'),
			atLeast: 85,
			unit: ' %',
			isSimulated: true,
		},
		{
			figureOf: `of the calls refused ${who}`,
			value: PERCENT * medianOf('refused'),
			atMost: 5,
			unit: ' %',
			isSimulated: true,
		},
		{
			figureOf: `as Jain's index of starts ${who}`,
			value: medianOf('fairness'),
			atLeast: 0.9,
			limit: { value: limits.fairness, reason: 'starts are whole' },
			isSimulated: true,
		},
	];
}

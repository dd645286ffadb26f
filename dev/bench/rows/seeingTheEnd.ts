import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Bench, Row } from '../Bench';
import type { SeenEnd } from '../cases/seeEnds';
import { mean, median, shown } from '../figures';
import { inChild } from '../inChild';

const WAYS = ['ours', 'every 1 s', 'every 2 s', 'every 5 s'] as const;
type Way = (typeof WAYS)[number];

/** Jobs of durations between two bounds, evenly spread. */
interface Durations {
	name: string;
	from: number;
	to: number;
	scale: number;
}

const SHORT: Durations = { name: 'under a minute', from: 5, to: 60, scale: 6 };
const LONG: Durations = { name: '1 to 10 min', from: 60, to: 600, scale: 20 };
const JOBS = 10;

export const seeingTheEnd: Row = {
	name: 'seeingTheEnd',
	title: 'Seeing the end',

	async run(bench) {
		const classes = bench.isQuick
			? [
					{ ...SHORT, to: 10, scale: 10 },
					{ ...LONG, to: 90, scale: 30 },
				]
			: [SHORT, LONG];
		const table = [['jobs', 'way', 'delay, s', 'delay, % of the duration', 'polls per job']];
		const measured = [];
		for (const durations of classes) {
			const results = await alternate(
				WAYS,
				bench.runs,
				async (way, run) => await seeEndsOf(bench, durations, way, run),
			);
			const of = (way: Way) => ({
				delays: results[way].map((ends) => mean(ends.map(({ delaySeconds }) => delaySeconds))),
				shares: results[way].map(
					(ends) =>
						100 *
						mean(ends.map(({ delaySeconds, durationSeconds }) => delaySeconds / durationSeconds)),
				),
				polls: results[way].map((ends) => mean(ends.map(({ polls }) => polls))),
			});
			for (const way of WAYS) {
				const { delays, shares, polls } = of(way);
				table.push([durations.name, way, shown(delays), shown(shares), shown(polls)]);
			}
			measured.push({ ours: of('ours'), every2: of('every 2 s') });
		}
		const [short, long] = measured;
		if (short === undefined || long === undefined) throw new Error('Both are measured');
		return {
			checks: [
				{
					figureOf: "of 2 s polling's delay for jobs under a minute",
					value: median(short.ours.delays) / median(short.every2.delays),
					atMost: 0.999,
				},
				{
					figureOf: "of 2 s polling's polls for jobs of 1 to 10 min",
					value: median(long.ours.polls) / median(long.every2.polls),
					atMost: 0.5,
				},
				...[
					{ name: 'under a minute', shares: short.ours.shares },
					{ name: 'of 1 to 10 min', shares: long.ours.shares },
				].map(({ name, shares }) => ({
					figureOf: `of the duration as mean delay for jobs ${name}`,
					value: median(shares),
					atMost: 5,
					unit: ' %',
				})),
			],
			table,
			notes: `Each job is the only one of its account, and its end is seen when the node's output is there. ${JOBS} jobs a run, their durations evenly spread from 5 s to a minute, and from 1 to 10 minutes, and moved on by a fraction with each run, so that no interval fits them by chance. Times are those of the scaled clock.`,
		};
	},
};

async function seeEndsOf(
	bench: Bench,
	{ from, to, scale }: Durations,
	way: Way,
	run: number,
): Promise<SeenEnd[]> {
	const sandbox = await forkSandbox({
		SANDBOX_TIME_SCALE: String(scale),
		SANDBOX_LIMITS: 'off',
		SANDBOX_VALIDATE_REQUESTS: 'off',
	});
	try {
		const jobs = bench.isQuick ? 2 : JOBS;
		const offset = (run + 0.5) / bench.runs;
		const durationsSeconds = Array.from(
			{ length: jobs },
			(_, index) => from + ((to - from) * (index + offset)) / jobs,
		);
		const everySeconds = way === 'ours' ? undefined : Number(way.split(' ')[1]);
		return await inChild(bench, 'seeEnds', {
			url: sandbox.url,
			scale,
			durationsSeconds,
			everySeconds,
		});
	} finally {
		await sandbox.close();
	}
}

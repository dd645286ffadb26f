import type { Row } from '../Bench';
import { mean, median, medianWithRange } from '../figures';
import { seeEnd } from '../simulation/seeEnd';

interface Way {
	name: string;
	/** Unset: as the package schedules its polls. */
	everySeconds?: number;
}

const OURS: Way = { name: 'ours' };
const FIXED: Way[] = [1, 2, 5].map((everySeconds) => ({
	name: `every ${everySeconds} s`,
	everySeconds,
}));
const JOBS = 100;
const SECONDS = { from: 60, to: 600 };
const MAX_POLLS = 90;

export const oneJob: Row = {
	name: 'oneJob',
	title: 'One job',

	async run({ runs }) {
		const ours = await measure(OURS, runs);
		const table = [
			['way', 'mean delay, s', 'polls per job'],
			[OURS.name, medianWithRange(ours.delays), medianWithRange(ours.polls)],
		];
		for (const way of FIXED) {
			const { delays, polls } = await measure(way, runs);
			table.push([way.name, medianWithRange(delays), medianWithRange(polls)]);
		}
		return {
			checks: [
				{
					figureOf: 'mean delay',
					value: median(ours.delays),
					atMost: 3,
					unit: ' s',
					isSimulated: true,
				},
				{
					figureOf: 'polls per job',
					value: median(ours.polls),
					atMost: MAX_POLLS,
					isSimulated: true,
				},
			],
			table,
			notes: `${JOBS} jobs of 1 to 10 min a run and way, in virtual time, without the node around the rate limiters and the poll scheduler; each job is the only one of its account. Durations are evenly spread and moved on by a fraction with each run, so that no interval fits them by chance. Polls at one fixed interval, tuned to need ${MAX_POLLS} for jobs spread like this, see the ends 1.8 s late; but one interval fits one range of durations only.`,
		};
	},
};

/** The mean delay in s and the mean number of polls, of each run. */
async function measure({ everySeconds }: Way, runs: number) {
	const delays: number[] = [];
	const polls: number[] = [];
	for (let run = 0; run < runs; run++) {
		const ends = [];
		for (let job = 0; job < JOBS; job++) {
			const share = (job + (run + 0.5) / runs) / JOBS;
			const seconds = SECONDS.from + (SECONDS.to - SECONDS.from) * share;
			ends.push(await seeEnd(seconds, { everySeconds, seed: run * JOBS + job }));
		}
		delays.push(mean(ends.map((end) => end.delaySeconds)));
		polls.push(mean(ends.map((end) => end.polls)));
	}
	return { delays, polls };
}

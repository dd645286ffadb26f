import type { Row } from '../Bench';
import { mean, median, medianWithRange } from '../figures';
import { SimulatedProcess } from '../simulation/SimulatedProcess';
import { SimulatedService } from '../simulation/SimulatedService';

const JOBS = 100;
const SECONDS = { from: 60, to: 600 };

export const oneJob: Row = {
	name: 'oneJob',
	title: 'One job',
	isSimulated: true,

	async run({ runs }) {
		const delays: number[] = [];
		const polls: number[] = [];
		for (let run = 0; run < runs; run++) {
			const ends = [];
			for (let job = 0; job < JOBS; job++) {
				const share = (job + (run + 0.5) / runs) / JOBS;
				const seconds = SECONDS.from + (SECONDS.to - SECONDS.from) * share;
				ends.push(await seeEnd(seconds, run * JOBS + job));
			}
			delays.push(mean(ends.map((end) => end.delaySeconds)));
			polls.push(mean(ends.map((end) => end.polls)));
		}
		return {
			checks: [
				{ figureOf: 'mean delay', value: median(delays), atMost: 3, unit: ' s' },
				{ figureOf: 'polls per job', value: median(polls), atMost: 90 },
			],
			table: [
				['mean delay, s', 'polls per job'],
				[medianWithRange(delays), medianWithRange(polls)],
			],
			notes: `${JOBS} jobs of 1 to 10 min a run, in virtual time, without the node around the rate limiters and the waits; each job is the only one of its account. Durations are evenly spread and moved on by a fraction with each run. Polls at one fixed interval, tuned to need 90 for jobs spread like this, see the ends 1.8 s late; but one interval fits one range of durations only.`,
		};
	},
};

async function seeEnd(durationSeconds: number, seed: number) {
	const service = new SimulatedService(seed);
	const endsAt = durationSeconds * 1000;
	await new SimulatedProcess(service).waitFor({ startedAt: 0, endsAt });
	const delaySeconds = (service.clock.now() - endsAt) / 1000;
	return { delaySeconds, polls: service.counters.polls };
}

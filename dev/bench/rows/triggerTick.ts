import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Row } from '../Bench';
import { median, shown } from '../figures';
import { inChild } from '../inChild';
import { endlessJobs } from './sandboxJobs';

const STATUS_CALLS_PER_MINUTE = 60;

export const triggerTick: Row = {
	name: 'triggerTick',
	title: 'Trigger tick',

	async run(bench) {
		const jobs = bench.isQuick ? 100 : 1_000;
		const ticks = bench.isQuick ? 1 : 5;
		const scale = 20;
		const rounds = await alternate(['tick'], bench.runs, async () => {
			const sandbox = await forkSandbox({
				SANDBOX_TIME_SCALE: String(scale),
				SANDBOX_VALIDATE_REQUESTS: 'off',
			});
			try {
				const jobIds = await endlessJobs(sandbox, jobs);
				const { url } = sandbox;
				const costs = await inChild(bench, 'pollTrigger', { url, scale, jobIds, ticks });
				return { costs, counters: await sandbox.admin.counters() };
			} finally {
				await sandbox.close();
			}
		});
		const costs = rounds.tick.flatMap((round) => round.costs);
		const inWindow = rounds.tick.map(({ counters }) => counters.maxInWindow.polls);
		const refused = rounds.tick.map(({ counters }) => counters.rateLimited);
		const looks = rounds.tick.map(({ counters }) => counters.polls / (ticks + 1));
		return {
			checks: [
				{ figureOf: 'of CPU for a tick', value: median(costs), atMost: 150, unit: ' ms' },
				{
					figureOf: 'looks at most in any minute',
					value: Math.max(...inWindow),
					atMost: STATUS_CALLS_PER_MINUTE,
				},
				{ figureOf: 'calls refused with 429', value: Math.max(...refused), atMost: 0 },
			],
			table: [
				['watched jobs', 'CPU of a tick, ms', 'looks in a tick', 'most looks in a minute'],
				[jobs.toLocaleString('en'), shown(costs), shown(looks), shown(inWindow)],
			],
			notes: `${ticks} ticks a run, a minute apart, after the one of publishing. A tick looks at as many jobs as the account's budget has room for, and the next one goes on from there.`,
		};
	},
};

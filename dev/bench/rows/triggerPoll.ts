import { startSandbox } from '../../sandbox/startSandbox';
import { alternate } from '../alternate';
import type { Row } from '../Bench';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { endlessJobs } from './sandboxJobs';

const STATUS_CALLS_PER_MINUTE = 60;

export const triggerPoll: Row = {
	name: 'triggerPoll',
	title: 'Trigger poll',

	async run(bench) {
		const jobs = bench.isQuick ? 100 : 1_000;
		const times = bench.isQuick ? 1 : 5;
		const scale = 20;
		const rounds = await alternate(['ours'], bench.runs, async () => {
			const sandbox = await startSandbox({ timeScale: scale });
			try {
				const jobIds = await endlessJobs(sandbox, jobs);
				const { url } = sandbox;
				const costs = await inChild(bench, 'pollTrigger', { url, scale, jobIds, times });
				return { costs, counters: await sandbox.admin.counters() };
			} finally {
				await sandbox.close();
			}
		});
		const costs = rounds.ours.flatMap((round) => round.costs);
		const inWindow = rounds.ours.map(({ counters }) => counters.maxInWindow.polls);
		const refused = rounds.ours.map(({ counters }) => counters.rateLimited);
		const calls = rounds.ours.map(({ counters }) => counters.polls / (times + 1));
		return {
			checks: [
				{ figureOf: 'of CPU for a poll', value: median(costs), atMost: 150, unit: ' ms' },
				{
					figureOf: 'status calls at most in any minute',
					value: Math.max(...inWindow),
					atMost: STATUS_CALLS_PER_MINUTE,
				},
				{ figureOf: 'calls refused with 429', value: Math.max(...refused), atMost: 0 },
			],
			table: [
				[
					'watched jobs',
					'CPU of a poll, ms',
					'status calls in a poll',
					'most status calls in a minute',
				],
				[
					jobs.toLocaleString('en'),
					medianWithRange(costs),
					medianWithRange(calls),
					medianWithRange(inWindow),
				],
			],
			notes: `${times} trigger polls per run, a minute apart, after the poll at activation. Each one checks as many jobs as the account's rate limit allows, and the next one continues from there.`,
		};
	},
};

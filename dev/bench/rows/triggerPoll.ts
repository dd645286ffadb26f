import { startSandbox } from '../../sandbox/startSandbox';
import type { Row } from '../Bench';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { endlessJobs } from './sandboxJobs';

const SCALE = 20;
const STATUS_CALLS_PER_MINUTE = 60;

export const triggerPoll: Row = {
	name: 'triggerPoll',
	title: 'Trigger poll',

	async run(bench) {
		const jobs = bench.isQuick ? 100 : 1_000;
		const times = bench.isQuick ? 1 : 5;
		const costs: number[] = [];
		const calls: number[] = [];
		const inWindow: number[] = [];
		let refused = 0;
		for (let run = 0; run < bench.runs; run++) {
			const sandbox = await startSandbox({ timeScale: SCALE });
			try {
				const { url, admin } = sandbox;
				const jobIds = await endlessJobs(sandbox, jobs);
				costs.push(...(await inChild(bench, 'pollTrigger', { url, scale: SCALE, jobIds, times })));
				const { polls, maxInWindow, rateLimited } = await admin.counters();
				calls.push(polls / (times + 1));
				inWindow.push(maxInWindow.polls);
				refused += rateLimited;
			} finally {
				await sandbox.close();
			}
		}
		return {
			checks: [
				{ figureOf: 'of CPU for a poll', value: median(costs), atMost: 150, unit: ' ms' },
				{
					figureOf: 'status calls at most in any minute',
					value: Math.max(...inWindow),
					atMost: STATUS_CALLS_PER_MINUTE,
				},
				{ figureOf: 'calls refused with 429', value: refused, atMost: 0 },
			],
			table: [
				['CPU of a poll, ms', 'status calls in a poll', 'most status calls in a minute'],
				[costs, calls, inWindow].map(medianWithRange),
			],
			notes: `${times} trigger polls per run for ${jobs.toLocaleString('en')} jobs, a minute apart, after the poll at activation. Each one checks as many jobs as the account's rate limit allows, and the next one continues from there.`,
		};
	},
};

import { startSandbox } from '../../sandbox/startSandbox';
import type { Row } from '../Bench';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { endlessJobs } from './sandboxJobs';

const KIB = 1024;

export const waitingJobs: Row = {
	name: 'waitingJobs',
	title: 'Waiting jobs',

	async run(bench) {
		const count = bench.isQuick ? 200 : 10_000;
		const seconds = bench.isQuick ? 3 : 60;
		const delays: number[] = [];
		const shares: number[] = [];
		const heaps: number[] = [];
		const sandbox = await startSandbox();
		try {
			const jobIds = await endlessJobs(sandbox, count);
			const { url } = sandbox;
			for (let run = 0; run < bench.runs; run++) {
				// Each process counts the account's calls from zero, so the sandbox has to as well.
				await sandbox.admin.setLimits('on');
				const [waiting, idle] = await Promise.all([
					inChild(bench, 'waitForMany', { url, jobIds, seconds }),
					inChild(bench, 'waitForMany', { url, jobIds: [], seconds }),
				]);
				delays.push(waiting.p99Ms - idle.p99Ms);
				shares.push(waiting.cpuPercent - idle.cpuPercent);
				heaps.push((waiting.heapBytes - idle.heapBytes) / count / KIB);
			}
			const { rateLimited } = await sandbox.admin.counters();
			return {
				checks: [
					{
						figureOf: "as 99th percentile of the event loop's delay",
						value: median(delays),
						atMost: 5,
						unit: ' ms',
					},
					{ figureOf: 'of heap per job', value: median(heaps), atMost: 8, unit: ' KB' },
					{ figureOf: 'of a core', value: median(shares), atMost: 2, unit: ' %' },
					{ figureOf: 'calls refused with 429', value: rateLimited, atMost: 0 },
				],
				table: [
					["99th percentile of the event loop's delay, ms", 'of a core, %', 'heap per job, KB'],
					[delays, shares, heaps].map(medianWithRange),
				],
				notes: `Job: Wait with ${count.toLocaleString('en')} items, all at once in one process, for ${seconds} s of real time at the documented limits. All figures are what that takes more than a process that does nothing beside it. The delay is how late timers fire. The heap is counted without the items and without compiled code, of which there is one for all jobs. In a heap snapshot, more than half of it is what Node.js keeps for the async functions through which a wait is called; the rest is the job's session, its options, its entry in the ledger and its place in the rate limiter's lists.`,
			};
		} finally {
			await sandbox.close();
		}
	},
};

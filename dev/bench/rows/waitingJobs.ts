import { startSandbox } from '../../sandbox/startSandbox';
import type { Row } from '../Bench';
import { median } from '../figures';
import { inChild } from '../inChild';
import { toTable } from '../results';
import { endlessJobs } from './sandboxJobs';

const KIB = 1024;
const JOBS = 10_000;
const SECONDS = 60;

export const waitingJobs: Row = {
	name: 'waitingJobs',
	title: 'Waiting for 10,000 jobs',

	async run(bench) {
		const delays: number[] = [];
		const shares: number[] = [];
		const heaps: number[] = [];
		const sandbox = await startSandbox();
		try {
			const jobIds = await endlessJobs(sandbox, JOBS);
			const { url } = sandbox;
			for (let run = 0; run < bench.runs; run++) {
				// Each process counts the account's calls from zero, so the sandbox has to as well.
				await sandbox.admin.setLimits('on');
				const [waiting, idle] = await Promise.all([
					inChild(bench, 'waitForMany', { url, jobIds, seconds: SECONDS }),
					inChild(bench, 'waitForMany', { url, jobIds: [], seconds: SECONDS }),
				]);
				delays.push(waiting.p99Ms - idle.p99Ms);
				shares.push(waiting.cpuPercent - idle.cpuPercent);
				heaps.push((waiting.heapBytes - idle.heapBytes) / JOBS / KIB);
			}
			const { rateLimited } = await sandbox.admin.counters();
			const checks = [
				{
					figureOf: 'event loop delay (99 %)',
					isOffPage: true,
					value: median(delays),
					atMost: 5,
					unit: ' ms',
					isAbsolute: true,
				},
				{ figureOf: 'heap per job', value: median(heaps), atMost: 8, unit: ' KiB' },
				{
					figureOf: 'of a core',
					value: median(shares),
					atMost: 2,
					unit: ' %',
					isAbsolute: true,
				},
				{ figureOf: 'calls refused with a 429', value: rateLimited, atMost: 0, isOffPage: true },
			];
			return {
				summary: [],
				checks,
				table: toTable(checks),
				notes: `For ${SECONDS} s, less an idle process; medians of ${bench.runs} runs.`,
			};
		} finally {
			await sandbox.close();
		}
	},
};

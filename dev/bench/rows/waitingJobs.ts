import { startSandbox } from '../../sandbox/startSandbox';
import { alternate } from '../alternate';
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
		const sandbox = await startSandbox();
		try {
			const jobIds = await endlessJobs(sandbox, count);
			const { url } = sandbox;
			const rounds = await alternate(['both'], bench.runs, async () => {
				// Each process counts the account's calls from zero, so the sandbox has to as well.
				await sandbox.admin.setLimits('on');
				return await Promise.all([
					inChild(bench, 'waitForMany', { url, jobIds, seconds }),
					inChild(bench, 'waitForMany', { url, jobIds: [], seconds }),
				]);
			});
			const waiting = rounds.both.map(([one]) => one);
			const idle = rounds.both.map(([, one]) => one);
			const bytesPerJob = waiting.map(
				({ heapBytes }, run) => (heapBytes - (idle[run]?.heapBytes ?? NaN)) / count,
			);
			const { rateLimited } = await sandbox.admin.counters();
			return {
				checks: [
					{
						figureOf: "more than in an idle process as 99th percentile of the event loop's delay",
						value: median(waiting.map(({ p99Ms }, run) => p99Ms - (idle[run]?.p99Ms ?? NaN))),
						atMost: 5,
						unit: ' ms',
					},
					{
						figureOf: 'of heap per job',
						value: median(bytesPerJob) / KIB,
						atMost: 2,
						unit: ' KB',
					},
					{
						figureOf: 'of a core more than in an idle process, which only measures',
						value: median(
							waiting.map(({ cpuPercent }, run) => cpuPercent - (idle[run]?.cpuPercent ?? NaN)),
						),
						atMost: 3,
						unit: ' %',
					},
					{ figureOf: 'calls refused with 429', value: rateLimited, atMost: 0 },
				],
				table: [
					[
						'process',
						"99th percentile of the event loop's delay, ms",
						'of a core, %',
						'heap per job, KB',
					],
					...[
						{ name: `${count.toLocaleString('en')} jobs waiting`, of: waiting },
						{ name: 'idle (the limit)', of: idle },
					].map(({ name, of }) => [
						name,
						medianWithRange(of.map(({ p99Ms }) => p99Ms)),
						medianWithRange(of.map(({ cpuPercent }) => cpuPercent)),
						of === idle ? '' : medianWithRange(bytesPerJob.map((bytes) => bytes / KIB)),
					]),
				],
				notes: `Job: Wait with ${count.toLocaleString('en')} items, all at once in one process, for ${seconds} s of real time at the documented limits, beside a process that does nothing at the same time. The delay is how late timers fire. The heap is counted without the items and without compiled code, of which there is one for all jobs.`,
			};
		} finally {
			await sandbox.close();
		}
	},
};

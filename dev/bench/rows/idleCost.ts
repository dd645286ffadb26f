import { forkSandbox } from '../../sandbox/forkSandbox';
import { alternate } from '../alternate';
import type { Row } from '../Bench';
import { median, shown } from '../figures';
import { inChild } from '../inChild';
import { endlessJobs } from './sandboxJobs';

const KIB = 1024;

export const idleCost: Row = {
	name: 'idleCost',
	title: 'Idle cost',

	async run(bench) {
		const count = bench.isQuick ? 50 : 1_000;
		const seconds = bench.isQuick ? 3 : 60;
		const sandbox = await forkSandbox({ SANDBOX_VALIDATE_REQUESTS: 'off' });
		try {
			const jobIds = await endlessJobs(sandbox, count);
			const { url } = sandbox;
			const rounds = await alternate(['both'], bench.runs, async () => {
				// The account's minute begins anew, as this process's does.
				await sandbox.admin.setLimits({ limits: {} });
				return await Promise.all([
					inChild(bench, 'waitForMany', { url, jobIds, seconds }),
					inChild(bench, 'waitForMany', { url, jobIds: [], seconds }),
				]);
			});
			const waiting = rounds.both.map(([one]) => one);
			const idle = rounds.both.map(([, one]) => one);
			const bytesPerJob = waiting.map(
				({ heapBytes }, run) => (heapBytes - (idle[run]?.heapBytes ?? 0)) / count,
			);
			return {
				checks: [
					{
						figureOf: 'as p99 of the event loop',
						value: median(waiting.map(({ lateMs }) => lateMs)),
						atMost: 20,
						unit: ' ms',
					},
					{
						figureOf: 'of heap per job',
						value: median(bytesPerJob) / KIB,
						atMost: 5,
						unit: ' KB',
					},
					{
						figureOf: 'of one core',
						value: median(waiting.map(({ cpuPercent }) => cpuPercent)),
						atMost: 5,
						unit: ' %',
					},
				],
				table: [
					[
						'process',
						'p99 of the delay of the event loop, ms',
						'of one core, %',
						'heap per job, KB',
					],
					...[
						{ name: `${count.toLocaleString('en')} jobs waiting`, of: waiting },
						{ name: 'idle', of: idle },
					].map(({ name, of }) => [
						name,
						shown(of.map(({ lateMs }) => lateMs)),
						shown(of.map(({ cpuPercent }) => cpuPercent)),
						of === idle ? '' : shown(bytesPerJob.map((bytes) => bytes / KIB)),
					]),
				],
				notes: `Job: Wait with ${count.toLocaleString('en')} items, all at once in one process, for ${seconds} s of real time at the documented limits, beside a process that does nothing at the same time. The delay is what a timer comes late. The heap is counted without compiled code, of which there is one for all jobs.`,
			};
		} finally {
			await sandbox.close();
		}
	},
};

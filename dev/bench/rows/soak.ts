import { startSandbox } from '../../sandbox/startSandbox';
import type { JobScript } from '../../sandbox/types';
import type { Row } from '../Bench';
import { figure } from '../figures';
import { inChild } from '../inChild';
import { seededRandom } from '../simulation/seededRandom';

const MIB = 1024 * 1024;
const CREDENTIALS = 20;
const FAILED_SHARE = 0.05;
const DURATION_SECONDS = { from: 30, to: 300 };

export const soak: Row = {
	name: 'soak',
	title: 'Soak',

	async run(bench) {
		const size = bench.isQuick
			? { hours: 1, jobs: 200, scale: 240 }
			: { hours: 24, jobs: 5_000, scale: 400 };
		const keys = Array.from({ length: CREDENTIALS }, (_, index) => `bench-soak-${index}-key`);
		const sandbox = await startSandbox({
			timeScale: size.scale,
			validateRequests: false,
			accounts: keys.map((key) => ({ key, plan: 'enterprise' })),
		});
		try {
			// Batches have up to three jobs each: there may be some more than asked for.
			await sandbox.admin.nextJobs(scripts(2 * size.jobs));
			const { url } = sandbox;
			const result = await inChild(bench, 'soak', { url, keys, ...size });
			const { starts, polls, pauses, rateLimited } = await sandbox.admin.counters();
			const { heapBytes, succeeded, failed, stopped } = result;
			const [before = NaN, half = NaN, end = NaN] = heapBytes.map((bytes) => bytes / MIB);
			return {
				checks: [
					{
						figureOf: 'more heap at the end than at the start',
						value: end - before,
						atMost: 5,
						unit: ' MB',
					},
					{
						figureOf: 'more heap at the end than after the first half',
						value: end - half,
						atMost: 1,
						unit: ' MB',
					},
					{ figureOf: 'calls refused with 429', value: rateLimited, atMost: 0 },
				],
				table: [
					['jobs', 'polls', 'paused', 'executions: succeeded', 'failed', 'stopped', 'heap, MB'],
					[
						...[starts, polls, pauses, succeeded, failed, stopped].map(figure),
						[before, half, end].map(figure).join(' → '),
					],
				],
				notes: `Executions of one to three jobs begin at random times within ${size.hours} simulated hours, over ${CREDENTIALS} credentials in one process; time runs ${size.scale} times as fast. Of the jobs, ${FAILED_SHARE * 100} % fail; of the executions, 10 % are stopped at a random time. The heap is counted after a forced collection, with no execution under way, without compiled code: after a warm-up of a tenth as many executions, after the first half and at the end. What may stay is bounded: the durations and the ends of the latest jobs of each account.`,
			};
		} finally {
			await sandbox.close();
		}
	},
};

function scripts(count: number): JobScript[] {
	const random = seededRandom(count);
	const { from, to } = DURATION_SECONDS;
	return Array.from({ length: count }, () => ({
		durationSeconds: from + (to - from) * random(),
		outcome: random() < FAILED_SHARE ? 'failed' : 'completed',
	}));
}

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { LimiterKind } from '../../../dev/sandbox/types';
import type { BatchReport, BatchTask } from '../../support/batchProcess';

const TIME_SCALE = 30;
const PROCESSES = 2;
const JOBS_EACH = 6;
const LIMITERS: LimiterKind[] = ['sliding', 'fixed'];

// Processes that use the same account, as workers in queue mode do. They take seconds to start.
let processes: ChildProcess[];

beforeAll(() => {
	processes = Array.from({ length: PROCESSES }, () =>
		fork(join(__dirname, '../../support/batchProcess.ts'), {
			execArgv: ['--import', 'tsx'],
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		}),
	);
});
afterAll(() => {
	for (const child of processes) child.disconnect();
});

async function runBatch(child: ChildProcess, task: BatchTask): Promise<BatchReport> {
	child.send(task);
	const [report] = (await once(child, 'message')) as [BatchReport];
	return report;
}

describe.each(LIMITERS)('two processes on one account, %s limits', (limiter) => {
	let sandbox: Sandbox;
	let reports: BatchReport[];

	beforeAll(async () => {
		sandbox = await startSandbox({ timeScale: TIME_SCALE, limiter, defaultJobSeconds: 60 });
		const task = { baseUrl: sandbox.url, timeScale: TIME_SCALE, jobs: JOBS_EACH };
		reports = await Promise.all(processes.map(async (child) => await runBatch(child, task)));
	}, 120_000);
	afterAll(async () => await sandbox.close());

	it('get every job of theirs done, and start each once', async () => {
		const { starts } = await sandbox.admin.counters();

		expect(reports.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(reports.map(({ completed }) => completed)).toEqual([JOBS_EACH, JOBS_EACH]);
		expect(starts).toBe(PROCESSES * JOBS_EACH);
	});

	it('starve none: the slowest takes less than three times as long as the fastest', () => {
		const took = reports.map(({ tookSeconds }) => tookSeconds);

		expect(Math.max(...took)).toBeLessThan(3 * Math.min(...took));
	});

	it('settle: most requests are let through', async () => {
		const { rateLimited, starts, polls } = await sandbox.admin.counters();

		expect(rateLimited).toBeLessThan((starts + polls) / 4);
	});
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { JobScript } from '../../../dev/sandbox/types';
import { createClient, PRO } from './setUpSandbox';

const HOUR = 3600;

describe('Sandbox with a state file', () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const stateFile = join(folder, 'sandbox.json');
	let realMs = 1_700_000_000_000;
	const clock = { now: () => realMs, sleep: async () => {} };
	let sandbox: Sandbox;

	async function start(): Promise<void> {
		sandbox = await startSandbox({ stateFile, limits: 'off', clock });
	}

	async function restart(): Promise<void> {
		await sandbox.close();
		await start();
	}

	function client() {
		return createClient(sandbox.url, PRO);
	}

	async function startJob(script: JobScript): Promise<string> {
		await sandbox.admin.nextJob(script);
		return (await client().start()).data.job_id as string;
	}

	async function poll(jobId: string): Promise<string> {
		return (await client().status(jobId)).data.status as string;
	}

	beforeEach(start);
	afterEach(async () => {
		await sandbox.close();
		rmSync(stateFile, { force: true });
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	it('has the same jobs, credits and time after a restart', async () => {
		const running = await startJob({ durationSeconds: 100 });
		await sandbox.admin.advance(60);
		await client().pause(await startJob({}));
		await startJob({ outcome: 'failed', error: 'No way in', durationSeconds: 0 });
		const before = await sandbox.admin.jobs();
		const status = (await client().status(running)).data;

		await restart();

		expect(await sandbox.admin.jobs()).toEqual(
			before.map((job) => ({ ...job, polls: expect.any(Number) })),
		);
		expect((await client().status(running)).data).toEqual({
			...status,
			live_url: expect.stringContaining(running),
			history_url: expect.stringContaining(running),
		});
	});

	it('continues running jobs, for which the time in between has passed', async () => {
		const jobId = await startJob({ durationSeconds: 100, output: 'Done' });
		await sandbox.admin.advance(60);

		await sandbox.close();
		realMs += 39_000;
		await start();

		expect(await poll(jobId)).toBe('running');
		await sandbox.admin.advance(1);
		expect((await client().status(jobId)).data).toMatchObject({
			status: 'completed',
			output: 'Done',
			credits_used: 20,
			credit_balance: 9_980,
		});
	});

	it('continues a pause, and a job that was resumed before', async () => {
		const paused = await startJob({});
		const resumed = await startJob({ durationSeconds: HOUR / 2, steps: 1 });
		await client().pause(paused);
		await client().pause(resumed);
		await sandbox.admin.advance(HOUR);
		await client().resume(resumed);

		await restart();
		await sandbox.admin.advance(HOUR / 2 - 1);
		const early = await poll(resumed);
		await sandbox.admin.advance(1);
		const completed = await poll(resumed);
		await sandbox.admin.advance(4.5 * HOUR - 1);
		const stillPaused = await poll(paused);
		await sandbox.admin.advance(1);

		expect([early, completed]).toEqual(['running', 'completed']);
		expect([stillPaused, await poll(paused)]).toEqual(['paused', 'failed']);
	});

	it('continues scripted statuses where they were', async () => {
		const jobId = await startJob({ statuses: ['queued', 'running', 'completed'] });
		await poll(jobId);

		await restart();

		expect([await poll(jobId), await poll(jobId)]).toEqual(['running', 'completed']);
	});

	it('has saved a start when its answer has arrived', async () => {
		const jobId = await startJob({});

		const other = await startSandbox({ stateFile, clock });
		const jobs = await other.admin.jobs();
		await other.close();

		expect(jobs.map(({ job_id }) => job_id)).toEqual([jobId]);
	});

	it('forgets jobs, credits and time with a reset', async () => {
		await startJob({});
		await sandbox.admin.reset();

		await restart();

		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it('does not start with a file that is broken', async () => {
		const broken = join(folder, 'broken.json');
		writeFileSync(broken, '{"jobs"');

		await expect(startSandbox({ stateFile: broken })).rejects.toThrow(
			/broken\.json can't be read\. Delete it/,
		);
	});
});

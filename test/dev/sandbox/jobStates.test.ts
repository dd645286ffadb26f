import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, PRO, startJob } from './client';

const HOUR = 3600;

describe('the life of a job', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	async function statusOf(jobId: string): Promise<string> {
		return (await client.status(jobId)).data.status as string;
	}

	async function pollsOf(jobId: string, count: number): Promise<string[]> {
		const statuses: string[] = [];
		while (statuses.length < count) statuses.push(await statusOf(jobId));
		return statuses;
	}

	it('runs for 8 seconds and completes, when nothing else is said', async () => {
		const jobId = await startJob(sandbox, client);

		await sandbox.admin.advance(4);
		const before = await statusOf(jobId);
		await sandbox.admin.advance(4);
		const after = await statusOf(jobId);

		expect([before, after]).toEqual(['running', 'completed']);
	});

	it('shows all that is known of a running job', async () => {
		const request = { directive: 'Read the news', initial_url: 'https://news.example/' };
		const jobId = await startJob(sandbox, client, {}, request);

		const { status, data } = await client.status(jobId);

		expect(status).toBe(200);
		expect(data).toEqual({
			job_id: jobId,
			user_id: expect.stringMatching(/^user_/),
			status: 'running',
			directive: 'Read the news',
			live_url: expect.stringContaining(jobId),
			cdp_url: expect.stringContaining(jobId),
			history_url: expect.stringContaining(jobId),
			credits_used: 0,
			credit_balance: 10_000,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			updated_at: data.created_at,
			output: null,
			error: null,
		});
	});

	it('answers a directive with a text about it', async () => {
		const request = { directive: 'Read the news', initial_url: 'https://news.example/' };
		const jobId = await startJob(sandbox, client, {}, request);
		await sandbox.admin.advance(8);

		const { data } = await client.status(jobId);

		expect(data.output).toContain('Read the news');
		expect(data.output).toContain('https://news.example/');
		expect(data).toMatchObject({ status: 'completed', error: null, credits_used: 20 });
	});

	it('answers with JSON text when the directive asks for JSON', async () => {
		const jobId = await startJob(sandbox, client, {}, { directive: 'Return the list as JSON.' });
		await sandbox.admin.advance(8);

		const { data } = await client.status(jobId);

		expect(JSON.parse(data.output)).toMatchObject({ task: 'Return the list as JSON.' });
	});

	it.each([
		['completed', {}, { status: 'completed', error: null, output: expect.any(String) }],
		['failed', {}, { status: 'failed', error: expect.any(String), output: null }],
		['failed', { error: 'No way in' }, { status: 'failed', error: 'No way in', output: null }],
		['failed', { output: 'Half of it' }, { status: 'failed', output: 'Half of it' }],
		['user_taken_over', {}, { status: 'user_taken_over', error: null, output: null }],
		['canceled', { error: 'Stopped by hand' }, { status: 'canceled', error: 'Stopped by hand' }],
		['cancelled', {}, { status: 'cancelled', error: null, output: null }],
		['archived', { output: 'Old' }, { status: 'archived', output: 'Old' }],
	])('ends as %s with %j', async (outcome, script, expected) => {
		const jobId = await startJob(sandbox, client, { ...script, outcome, durationSeconds: 3 });
		await sandbox.admin.advance(3);

		expect((await client.status(jobId)).data).toMatchObject(expected);
	});

	it.each([[{ rows: [1, 2] }], [['a', 'b']], [42], [false], [''], [null], ['plain text']])(
		'hands the output %j out as it was scripted',
		async (output) => {
			const jobId = await startJob(sandbox, client, { output, durationSeconds: 0 });

			expect((await client.status(jobId)).data).toMatchObject({ status: 'completed', output });
		},
	);

	it('shows no output and no error before the end', async () => {
		const jobId = await startJob(sandbox, client, { output: 'Early', error: 'Early' });

		expect((await client.status(jobId)).data).toMatchObject({ output: null, error: null });
	});

	it('leaves fields out or empties them when scripted', async () => {
		const jobId = await startJob(sandbox, client, {
			omitFields: ['job_id', 'live_url', 'credits_used'],
			nullFields: ['history_url', 'output'],
			durationSeconds: 0,
		});

		const { data } = await client.status(jobId);

		expect(Object.keys(data)).not.toEqual(expect.arrayContaining(['job_id']));
		expect(data).not.toHaveProperty('live_url');
		expect(data).not.toHaveProperty('credits_used');
		expect(data).toMatchObject({ history_url: null, output: null, status: 'completed' });
	});

	it('answers 404 for a job that does not exist, whatever is wanted of it', async () => {
		const answers = await Promise.all([
			client.status('job_none'),
			client.pause('job_none'),
			client.resume('job_none'),
			client.files('job_none'),
		]);

		for (const { status, data } of answers) {
			expect(status).toBe(404);
			expect(data).toEqual({ detail: 'Job not found', status_code: 404 });
		}
	});

	describe('pause and resume', () => {
		it('pauses a running job and resumes it', async () => {
			const jobId = await startJob(sandbox, client);

			const pause = await client.pause(jobId);
			const paused = await statusOf(jobId);
			const resume = await client.resume(jobId);
			const resumed = await statusOf(jobId);

			expect(pause.status).toBe(200);
			expect(pause.data).toEqual({ status: 'success', message: expect.any(String) });
			expect(resume.status).toBe(200);
			expect(resume.data).toEqual({
				status: 'success',
				message: expect.any(String),
				data: { job_id: jobId, status: 'running' },
			});
			expect([paused, resumed]).toEqual(['paused', 'running']);
		});

		it('lets time stand still while a job is paused', async () => {
			const jobId = await startJob(sandbox, client, { durationSeconds: 100 });
			await sandbox.admin.advance(60);
			await client.pause(jobId);
			await sandbox.admin.advance(1000);
			const paused = await statusOf(jobId);
			await client.resume(jobId);

			await sandbox.admin.advance(20);
			const running = await statusOf(jobId);
			await sandbox.admin.advance(20);
			const completed = await statusOf(jobId);

			expect([paused, running, completed]).toEqual(['paused', 'running', 'completed']);
		});

		it('fails a job that stays paused for 6 hours', async () => {
			const jobId = await startJob(sandbox, client);
			await client.pause(jobId);

			await sandbox.admin.advance(6 * HOUR - 60);
			const before = await statusOf(jobId);
			await sandbox.admin.advance(60);
			const { data } = await client.status(jobId);

			expect(before).toBe('paused');
			expect(data).toMatchObject({ status: 'failed', error: expect.stringContaining('6 hours') });
			expect((await client.resume(jobId)).status).toBe(400);
		});

		it('counts the 6 hours anew with every pause', async () => {
			const jobId = await startJob(sandbox, client);
			await client.pause(jobId);
			await sandbox.admin.advance(5 * HOUR);
			await client.resume(jobId);
			await client.pause(jobId);

			await sandbox.admin.advance(5 * HOUR);

			expect(await statusOf(jobId)).toBe('paused');
		});

		it('refuses what the status does not allow with 400', async () => {
			const jobId = await startJob(sandbox, client);

			const resumedWhileRunning = await client.resume(jobId);
			await client.pause(jobId);
			const pausedTwice = await client.pause(jobId);
			await client.resume(jobId);
			await sandbox.admin.advance(8);
			const pausedAtTheEnd = await client.pause(jobId);

			for (const { status, data } of [resumedWhileRunning, pausedTwice, pausedAtTheEnd]) {
				expect(status).toBe(400);
				expect(data).toEqual({ detail: expect.any(String), status_code: 400 });
			}
			expect(await sandbox.admin.job(jobId)).toMatchObject({ pauses: 1, resumes: 1 });
		});
	});

	describe('the maximum duration', () => {
		it.each([
			['the configured one', { browser_config: { max_duration_minutes: 2 } }, 120],
			['30 minutes by default', {}, 1800],
		])('ends a job as failed: %s', async (_label, request, seconds) => {
			const jobId = await startJob(sandbox, client, { durationSeconds: 10 * HOUR }, request);

			await sandbox.admin.advance(seconds - 20);
			const before = await statusOf(jobId);
			await sandbox.admin.advance(20);
			const { data } = await client.status(jobId);

			expect(before).toBe('running');
			expect(data).toMatchObject({
				status: 'failed',
				error: expect.stringContaining('maximum duration'),
				output: null,
			});
		});

		it('lets a job complete that needs exactly that long', async () => {
			const request = { browser_config: { max_duration_minutes: 1 } };
			const jobId = await startJob(sandbox, client, { durationSeconds: 60 }, request);
			await sandbox.admin.advance(61);

			expect(await statusOf(jobId)).toBe('completed');
		});

		it('does not count the time a job is paused', async () => {
			const request = { browser_config: { max_duration_minutes: 1 } };
			const jobId = await startJob(sandbox, client, { durationSeconds: 50 }, request);
			await client.pause(jobId);
			await sandbox.admin.advance(HOUR);
			await client.resume(jobId);
			await sandbox.admin.advance(50);

			expect(await statusOf(jobId)).toBe('completed');
		});

		it("does not apply to the client's own browser, since its options do not", async () => {
			const request = {
				cdp_url: 'wss://own.example/devtools',
				browser_config: { max_duration_minutes: 1 },
			};
			const jobId = await startJob(sandbox, client, { durationSeconds: HOUR }, request);
			await sandbox.admin.advance(HOUR);

			expect(await statusOf(jobId)).toBe('completed');
		});
	});

	describe('a script of statuses', () => {
		it('moves on with each poll and stays at the last status', async () => {
			const jobId = await startJob(sandbox, client, ['provisioning', 'running', 'completed']);

			expect(await pollsOf(jobId, 5)).toEqual([
				'provisioning',
				'running',
				'completed',
				'completed',
				'completed',
			]);
		});

		it('never ends when it ends with running', async () => {
			const jobId = await startJob(sandbox, client, ['running']);
			await sandbox.admin.advance(100 * HOUR);

			expect(await statusOf(jobId)).toBe('running');
		});

		it('keeps a status with a time of its own that long, however often it is polled', async () => {
			const jobId = await startJob(sandbox, client, {
				statuses: [
					{ status: 'provisioning', seconds: 20 },
					{ status: 'running', seconds: 30 },
					'completed',
				],
			});

			const first = await pollsOf(jobId, 3);
			await sandbox.admin.advance(20);
			const second = await pollsOf(jobId, 3);
			await sandbox.admin.advance(30);
			const third = await pollsOf(jobId, 2);

			expect(first).toEqual(['provisioning', 'provisioning', 'provisioning']);
			expect(second).toEqual(['running', 'running', 'running']);
			expect(third).toEqual(['completed', 'completed']);
		});

		it('leaps over statuses whose time has passed unseen', async () => {
			const jobId = await startJob(sandbox, client, {
				statuses: [{ status: 'running', seconds: 5 }, { status: 'paused', seconds: 5 }, 'failed'],
			});
			await sandbox.admin.advance(11);

			expect(await statusOf(jobId)).toBe('failed');
		});

		it('shows output and error with the end it shows', async () => {
			const completed = await startJob(sandbox, client, {
				statuses: ['running', 'completed'],
				output: 'Found',
			});
			const failed = await startJob(sandbox, client, ['running', 'failed']);
			await pollsOf(completed, 1);
			await pollsOf(failed, 1);

			expect((await client.status(completed)).data).toMatchObject({
				output: 'Found',
				credits_used: 20,
			});
			expect((await client.status(failed)).data).toMatchObject({ error: expect.any(String) });
		});

		it('shows statuses the document does not know', async () => {
			const jobId = await startJob(sandbox, client, ['queued', 'cancelled']);

			expect(await pollsOf(jobId, 2)).toEqual(['queued', 'cancelled']);
		});

		it('waits while a call has paused the job, then goes on', async () => {
			const jobId = await startJob(sandbox, client, ['running', 'running', 'completed']);
			await pollsOf(jobId, 1);

			await client.pause(jobId);
			const held = await pollsOf(jobId, 3);
			await client.resume(jobId);
			const released = await pollsOf(jobId, 2);

			expect(held).toEqual(['paused', 'paused', 'paused']);
			expect(released).toEqual(['running', 'completed']);
		});

		it('goes on after a resume of a pause that it showed itself', async () => {
			const jobId = await startJob(sandbox, client, ['running', 'paused', 'running', 'completed']);
			await pollsOf(jobId, 2);

			const resume = await client.resume(jobId);

			expect(resume.data.data).toEqual({ job_id: jobId, status: 'running' });
			expect(await pollsOf(jobId, 2)).toEqual(['running', 'completed']);
		});

		it('gives way to the running time when a resume finds nothing left of it', async () => {
			const jobId = await startJob(sandbox, client, ['running', 'paused']);
			await pollsOf(jobId, 2);
			await client.resume(jobId);

			const running = await statusOf(jobId);
			await sandbox.admin.advance(8);

			expect([running, await statusOf(jobId)]).toEqual(['running', 'completed']);
		});

		it('does not protect a paused job from the 6-hour rule', async () => {
			const jobId = await startJob(sandbox, client, ['running']);
			await client.pause(jobId);
			await sandbox.admin.advance(6 * HOUR);

			expect(await statusOf(jobId)).toBe('failed');
		});
	});

	it('gives a script to the first start that it matches', async () => {
		await sandbox.admin.nextJobs([
			{ match: 'invoice', output: 'for the invoice', durationSeconds: 0 },
			{ match: 'wf_daily', output: 'for the report', durationSeconds: 0 },
			{ output: 'for anyone', durationSeconds: 0 },
		]);

		const any = (await client.start({ directive: 'Look around' })).data.job_id;
		const report = (await client.runWorkflow('wf_daily_report')).data.job_id;
		const invoice = (await client.start({ directive: 'Fetch the invoice' })).data.job_id;

		const outputs = await Promise.all(
			[any, report, invoice].map(async (jobId) => (await client.status(jobId)).data.output),
		);
		expect(outputs).toEqual(['for anyone', 'for the report', 'for the invoice']);
	});
});

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { RequestLog } from '../../../dev/sandbox/state/RequestLog';
import { ScaledClock } from '../../../dev/sandbox/state/ScaledClock';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, ENTERPRISE, PRO, startJob } from './client';

describe('directing and observing', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	it('logs each request with what came and what was answered', async () => {
		const { data } = await client.start({
			directive: 'Look around',
			browser_config: { width: 800 },
		});
		await client.http.get(`/v1/get_job_status/${data.job_id}?verbose=1`);
		await client.http.get('/v1/nothing');

		const [start, poll, unknown] = await sandbox.admin.requests();

		expect(start).toMatchObject({
			id: 1,
			method: 'POST',
			path: '/v1/run_browser_agent',
			endpoint: 'startAgent',
			jobId: data.job_id,
			headers: { authorization: `Bearer ${PRO}`, 'content-type': 'application/json' },
			body: { directive: 'Look around', browser_config: { width: 800 } },
			answered: 200,
		});
		expect(poll).toMatchObject({
			endpoint: 'getJob',
			path: `/v1/get_job_status/${data.job_id}?verbose=1`,
			jobId: data.job_id,
			answered: 200,
		});
		expect(poll).not.toHaveProperty('body');
		expect(unknown).toMatchObject({ endpoint: 'unknown', answered: 404 });
		expect(Math.abs((start?.realMs ?? 0) - Date.now())).toBeLessThan(10_000);
		expect(poll?.sandboxMs).toBeGreaterThanOrEqual(start?.sandboxMs ?? Infinity);
	});

	it('logs a body that is not JSON as text', async () => {
		await client.http.post('/v1/run_browser_agent', '{"directive":', {
			headers: { 'Content-Type': 'text/plain' },
		});

		expect(await sandbox.admin.requests()).toMatchObject([
			{ body: '{"directive":', answered: 422 },
		]);
	});

	it('does not log its own admin face', async () => {
		await sandbox.admin.counters();
		await sandbox.admin.jobs();

		expect(await sandbox.admin.requests()).toEqual([]);
	});

	it('keeps the last requests only, so that the log does not grow for ever', () => {
		const log = new RequestLog(3);
		const request = new IncomingMessage(new Socket());
		const clock = new ScaledClock(1);
		for (let count = 0; count < 5; count++) log.add(request, 'getHealth', undefined, clock);

		expect(log.read({}).map(({ id }) => id)).toEqual([3, 4, 5]);
		expect(log.read({ since: 4 }).map(({ id }) => id)).toEqual([5]);
	});

	it('filters the log', async () => {
		const first = await startJob(sandbox, client);
		const second = await startJob(sandbox, client);
		await client.status(first);
		await client.status(second);
		await client.health();

		const { admin } = sandbox;
		const paths = [
			await admin.requests({ endpoint: 'getJob' }),
			await admin.requests({ jobId: first }),
			await admin.requests({ since: 4 }),
			await admin.requests({ endpoint: 'getJob', since: 3 }),
		].map((found) => found.map(({ id }) => id));

		expect(paths).toEqual([[3, 4], [1, 3], [5], [4]]);
	});

	it('tells of every job what became of it', async () => {
		const request = { action_selection_model: 'o3', browser_config: { height: 600 } };
		const jobId = await startJob(sandbox, client, { durationSeconds: 10, steps: 2 }, request);
		await client.status(jobId);
		await client.pause(jobId);
		await client.resume(jobId);
		await sandbox.admin.advance(10);
		await client.status(jobId);

		const job = await sandbox.admin.job(jobId);

		expect(await sandbox.admin.jobs()).toEqual([job]);
		expect(job).toMatchObject({
			job_id: jobId,
			key: PRO,
			kind: 'agent',
			directive: 'Look around',
			model: 'o3',
			status: 'completed',
			isFinished: true,
			stepsDone: 2,
			creditsUsed: 6,
			polls: 2,
			pauses: 1,
			resumes: 1,
			request: { directive: 'Look around', ...request },
		});
		expect((job.endedAt ?? 0) - job.startedAt).toBeGreaterThanOrEqual(10_000);
		expect(job.endedAtRealMs).toBeGreaterThanOrEqual(job.startedAtRealMs);
	});

	it('gives the body of a start as it came, without the defaults of the document', async () => {
		const { data } = await client.start({ directive: 'Look around', browser_config: {} });

		expect((await sandbox.admin.job(data.job_id)).request).toEqual({
			directive: 'Look around',
			browser_config: {},
		});
	});

	it('counts', async () => {
		const jobId = await startJob(sandbox, client);
		await client.runWorkflow('wf_daily_report');
		await client.start({});
		await client.status(jobId);
		await client.status('job_none');
		await client.pause(jobId);
		await client.pause(jobId);
		await client.resume(jobId);
		await client.balance();

		expect(await sandbox.admin.counters()).toEqual({
			starts: 2,
			polls: 2,
			pauses: 1,
			resumes: 1,
			rateLimited: 0,
			faults: 0,
			requests: {
				startAgent: 2,
				getJob: 2,
				pauseJob: 2,
				resumeJob: 1,
				getJobFiles: 0,
				runWorkflow: 1,
				getCreditBalance: 1,
				getHealth: 0,
				file: 0,
				unknown: 0,
			},
			maxInWindow: { starts: 3, polls: 2, balances: 1 },
		});
	});

	it('forgets everything at a reset', async () => {
		await startJob(sandbox, client);
		await sandbox.admin.nextJob({ output: 'old script' });
		await sandbox.admin.fault({ endpoint: '*', kind: 'status', times: 'always' });
		await sandbox.admin.setLimits({ limits: { statusPerWindow: 0 } });
		await sandbox.admin.setCredits(PRO, 1);
		await sandbox.admin.advance(1_000_000);

		await sandbox.admin.reset();

		expect(await sandbox.admin.jobs()).toEqual([]);
		expect(await sandbox.admin.requests()).toEqual([]);
		expect((await sandbox.admin.counters()).starts).toBe(0);
		expect(Math.abs((await sandbox.admin.now()) - Date.now())).toBeLessThan(10_000);
		expect((await client.balance()).data.credit_balance).toBe(10_000);
		const { data } = await client.start();
		await sandbox.admin.advance(8);
		expect((await client.status(data.job_id)).data.output).toContain('Look around');
	});

	it.each<[string, (sandbox: Sandbox) => Promise<unknown>, RegExp]>([
		[
			'a field no script has',
			({ admin }) => admin.nextJob({ status: 'x' } as object),
			/Unknown field 'status'/,
		],
		['a job there is not', ({ admin }) => admin.job('job_none'), /There is no job job_none/],
		['time to go back', ({ admin }) => admin.advance(-1), /Time can only be advanced/],
		[
			'credits for a key there is not',
			({ admin }) => admin.setCredits('none', 1),
			/There is no account/,
		],
		[
			'credits for an unlimited account',
			({ admin }) => admin.setCredits(ENTERPRISE, 1),
			/unlimited/,
		],
	])('refuses %s, and says so', async (_label, call, message) => {
		await expect(call(sandbox)).rejects.toThrow(message);
	});

	it('runs its time faster when told, also for jobs', async () => {
		const fast = await startSandbox({ timeScale: 1000, limits: 'off' });
		const jobId = await startJob(fast, new Client(fast, PRO), { durationSeconds: 60 });
		while (!(await fast.admin.job(jobId)).isFinished);
		const job = await fast.admin.job(jobId);
		await fast.close();

		expect((job.endedAt ?? 0) - job.startedAt).toBeCloseTo(60_000, 0);
		expect((job.endedAtRealMs ?? 0) - job.startedAtRealMs).toBeCloseTo(60, 0);
	});

	it('runs its time faster for limits too, while Retry-After stays in its own seconds', async () => {
		const fast = await startSandbox({ timeScale: 100, limits: { balancePerWindow: 1 } });
		const impatient = new Client(fast, PRO);
		let refused = await impatient.balance();
		while (refused.status !== 429) refused = await impatient.balance();
		const begin = performance.now();
		while ((await impatient.balance()).status === 429);
		const waitedMs = performance.now() - begin;
		await fast.close();

		const seconds = Number(refused.headers['retry-after']);
		expect(seconds).toBeGreaterThanOrEqual(1);
		expect(seconds).toBeLessThanOrEqual(60);
		expect(waitedMs).toBeLessThan(5000);
	});

	it('refuses a time scale that would stop the clock', async () => {
		await expect(startSandbox({ timeScale: 0 })).rejects.toThrow('time scale');
	});

	it('knows the accounts it is given, and its own ones still', async () => {
		const own = await startSandbox({
			accounts: [
				{ key: 'mine', plan: 'pro', credits: 7 },
				{ key: PRO, plan: 'free', credits: 1 },
			],
		});

		const balances = await Promise.all(
			['mine', PRO, ENTERPRISE].map(async (key) => (await new Client(own, key).balance()).data),
		);
		await own.close();

		expect(balances).toMatchObject([
			{ plan: 'pro', credit_balance: 7 },
			{ plan: 'free', credit_balance: 1 },
			{ plan: 'enterprise' },
		]);
	});
});

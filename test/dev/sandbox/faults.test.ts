import { type IncomingMessage } from 'node:http';

import axios, { type AxiosError } from 'axios';

import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { Fault } from '../../../dev/sandbox/types';
import { Client, PRO, startJob } from './client';

describe('faults', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	async function jobCount(): Promise<number> {
		return (await sandbox.admin.jobs()).length;
	}

	async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
		const error = await call.then(
			() => undefined,
			(reason: AxiosError) => reason,
		);
		return error?.code;
	}

	describe('of the kind status', () => {
		it.each([400, 401, 402, 403, 404, 500, 502, 503])(
			"answer %d with the service's error body",
			async (status) => {
				await sandbox.admin.fault({ endpoint: 'startAgent', kind: 'status', status });

				const answer = await client.start();

				expect(answer.status).toBe(status);
				expect(answer.data).toEqual({ detail: expect.any(String), status_code: status });
				expect(answer.headers['content-type']).toBe('application/json');
			},
		);

		it('answer 429 without a body, and with Retry-After only when told', async () => {
			await sandbox.admin.fault({ endpoint: 'getJob', kind: 'status', status: 429 });
			const headers = { 'Retry-After': '7' };
			await sandbox.admin.fault({ endpoint: 'getJob', kind: 'status', status: 429, headers });

			const without = await client.status('job_none');
			const withHeader = await client.status('job_none');

			expect([without.status, without.data, without.headers['retry-after']]).toEqual([
				429,
				'',
				undefined,
			]);
			expect(withHeader.headers['retry-after']).toBe('7');
		});

		it('answer with the body, type and headers they are given', async () => {
			await sandbox.admin.fault({
				endpoint: 'getCreditBalance',
				kind: 'status',
				status: 502,
				body: '<h1>Bad gateway</h1>',
				contentType: 'text/html',
				headers: { 'X-Proxy': 'edge' },
			});

			const { status, data, headers } = await client.balance();

			expect([status, data]).toEqual([502, '<h1>Bad gateway</h1>']);
			expect(headers).toMatchObject({ 'content-type': 'text/html', 'x-proxy': 'edge' });
		});
	});

	it.each([
		['text that is not JSON', '{"status": "runn', '{"status": "runn'],
		['nothing at all', '', ''],
		['null', null, null],
		['a list', [1, 2], [1, 2]],
		['an object of another shape', { state: 'ok' }, { state: 'ok' }],
	])('of the kind body answer %s as if all were well', async (_label, body, expected) => {
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'body', body });

		const { status, data } = await client.status('job_none');

		expect(status).toBe(200);
		expect(data).toEqual(expected);
	});

	it('of the kind redirect send the client elsewhere', async () => {
		const location = `${sandbox.filesUrl}/elsewhere`;
		await sandbox.admin.fault({ endpoint: 'getCreditBalance', kind: 'redirect', location });
		await sandbox.admin.fault({ endpoint: '*', kind: 'redirect', status: 307, location });

		const first = await client.balance();
		const second = await client.start();

		expect([first.status, first.headers.location]).toEqual([302, location]);
		expect([second.status, await jobCount()]).toEqual([307, 0]);
	});

	it('of the kind reset break the connection without an answer', async () => {
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'reset' });

		expect(await codeOf(client.status('job_none'))).toBe('ECONNRESET');
		expect((await client.status('job_none')).status).toBe(404);
		expect((await sandbox.admin.requests())[0]?.answered).toBe('reset');
	});

	describe('of the kind delay', () => {
		it.each(['before', 'after'] as const)('answer as usual, only later: %s', async (when) => {
			await sandbox.admin.fault({ endpoint: 'startAgent', kind: 'delay', delayMs: 60, when });
			const begin = performance.now();

			const { status, data } = await client.start();

			expect([status, data.status]).toEqual([200, 'running']);
			expect(performance.now() - begin).toBeGreaterThan(55);
		});

		it('carry the operation out although the client has left: after', async () => {
			const fault: Fault = {
				endpoint: 'startAgent',
				kind: 'delay',
				delayMs: 60_000,
				when: 'after',
			};
			await sandbox.admin.fault(fault);

			const code = await codeOf(
				client.http.post('/v1/run_browser_agent', { directive: 'Look' }, { timeout: 100 }),
			);

			expect(code).toBe('ECONNABORTED');
			expect(await jobCount()).toBe(1);
		});

		it('carry the operation out although the client has left: before', async () => {
			await sandbox.admin.fault({ endpoint: 'startAgent', kind: 'delay', delayMs: 150 });

			await codeOf(
				client.http.post('/v1/run_browser_agent', { directive: 'Look' }, { timeout: 50 }),
			);
			const atFirst = await jobCount();
			while ((await jobCount()) === 0);

			expect(atFirst).toBe(0);
		});

		it('are logged as abandoned when the client leaves before the answer', async () => {
			const fault: Fault = { endpoint: 'getHealth', kind: 'delay', delayMs: 600_000 };
			await sandbox.admin.fault(fault);

			await codeOf(client.http.get('/v1/health', { timeout: 50 }));
			const answered = async () => (await sandbox.admin.requests())[0]?.answered;
			while ((await answered()) === 'pending');

			expect(await answered()).toBe('abandoned');
		});
	});

	describe('of the kind truncate', () => {
		it('announce the whole body and break off in the middle', async () => {
			const jobId = await startJob(sandbox, client);
			await sandbox.admin.fault({ endpoint: 'getJob', kind: 'truncate' });
			const whole = Number((await client.http.get('/v1/health')).headers['content-length']);

			const error = await client.status(jobId).catch((reason: AxiosError) => reason);

			expect(whole).toBeGreaterThan(0);
			expect(error).toBeInstanceOf(Error);
			expect((error as Error).message).toMatch(/abort|hang up|reset/i);
		});

		it('let as many bytes of a file through as wanted', async () => {
			const files = [{ filename: 'big.bin', sizeBytes: 1_000_000 }];
			const jobId = await startJob(sandbox, client, { files, durationSeconds: 0 });
			const { data } = await client.files(jobId);
			await sandbox.admin.fault({
				endpoint: 'file',
				kind: 'truncate',
				truncateAfterBytes: 150_000,
			});

			const answer = await axios.get<IncomingMessage>(data.files[0].download_url, {
				responseType: 'stream',
				proxy: false,
			});
			let received = 0;
			const broken = (async () => {
				for await (const chunk of answer.data as AsyncIterable<Buffer>) received += chunk.length;
			})();

			await expect(broken).rejects.toThrow();
			expect(answer.headers['content-length']).toBe('1000000');
			expect(received).toBe(150_000);
		});
	});

	it('of the kind stall send a part, then nothing, until the client leaves', async () => {
		const jobId = await startJob(sandbox, client);
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'stall', truncateAfterBytes: 5 });
		const leave = new AbortController();

		const answer = await client.http.get<IncomingMessage>(`/v1/get_job_status/${jobId}`, {
			responseType: 'stream',
			signal: leave.signal,
		});
		const chunks = answer.data[Symbol.asyncIterator]();
		const first = (await chunks.next()) as IteratorResult<Buffer>;
		const silence = Symbol('silence');
		const second = chunks.next().catch(() => 'left');
		const pause = new Promise((resolve) => setTimeout(() => resolve(silence), 100));

		expect(answer.status).toBe(200);
		expect(String(first.value)).toHaveLength(5);
		expect(await Promise.race([second, pause])).toBe(silence);
		leave.abort();
		expect(await second).toBe('left');
	});

	describe('on operations that do something', () => {
		const spoilers: Array<[string, Omit<Fault, 'endpoint'>]> = [
			['status', { kind: 'status', status: 500 }],
			['body', { kind: 'body', body: 'broken' }],
			['redirect', { kind: 'redirect', location: '/' }],
			['reset', { kind: 'reset' }],
			['truncate', { kind: 'truncate' }],
		];

		it.each(spoilers)('come before them: %s', async (_kind, fault) => {
			await sandbox.admin.fault({ endpoint: 'startAgent', ...fault });

			await client.start().catch(() => undefined);

			expect(await jobCount()).toBe(0);
		});

		it.each(spoilers)('come after them when told: %s', async (_kind, fault) => {
			await sandbox.admin.fault({ endpoint: 'startAgent', when: 'after', ...fault });

			await client.start().catch(() => undefined);

			expect(await jobCount()).toBe(1);
		});

		it('spoil a pause that has happened', async () => {
			const jobId = await startJob(sandbox, client);
			await sandbox.admin.fault({
				endpoint: 'pauseJob',
				kind: 'status',
				status: 503,
				when: 'after',
			});

			const { status } = await client.pause(jobId);

			expect(status).toBe(503);
			expect((await client.status(jobId)).data.status).toBe('paused');
		});

		it('spoil a workflow run that has started', async () => {
			await sandbox.admin.fault({
				endpoint: 'runWorkflow',
				kind: 'body',
				body: '{',
				when: 'after',
			});

			const { data } = await client.runWorkflow('wf_daily_report');

			expect(data).toBe('{');
			expect(await jobCount()).toBe(1);
		});
	});

	it('do not move the statuses of a job on when they come before its poll', async () => {
		const jobId = await startJob(sandbox, client, ['running', 'completed']);
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'status', status: 500, times: 3 });

		const statuses = [];
		for (let poll = 0; poll < 5; poll++) statuses.push((await client.status(jobId)).data.status);

		expect(statuses).toEqual([undefined, undefined, undefined, 'running', 'completed']);
	});

	it('spoil so many calls, after letting so many pass', async () => {
		await sandbox.admin.fault({
			endpoint: 'getHealth',
			kind: 'status',
			status: 500,
			times: 2,
			skip: 1,
		});

		const statuses = [];
		for (let call = 0; call < 5; call++) statuses.push((await client.health()).status);

		expect(statuses).toEqual([200, 500, 500, 200, 200]);
		expect((await sandbox.admin.counters()).faults).toBe(2);
	});

	it('last until they are cleared when told so', async () => {
		await sandbox.admin.fault({
			endpoint: 'getHealth',
			kind: 'status',
			status: 503,
			times: 'always',
		});
		const during = [await client.health(), await client.health(), await client.health()];
		await sandbox.admin.clearFaults();

		expect(during.map(({ status }) => status)).toEqual([503, 503, 503]);
		expect((await client.health()).status).toBe(200);
	});

	it('can be meant for one job', async () => {
		const spoiled = await startJob(sandbox, client);
		const spared = await startJob(sandbox, client);
		await sandbox.admin.fault({
			endpoint: '*',
			jobId: spoiled,
			kind: 'status',
			status: 500,
			times: 2,
		});

		expect((await client.status(spared)).status).toBe(200);
		expect((await client.status(spoiled)).status).toBe(500);
		expect((await client.files(spoiled)).status).toBe(500);
	});

	it('come one after the other', async () => {
		await sandbox.admin.fault({ endpoint: '*', kind: 'status', status: 500 });
		await sandbox.admin.fault({ endpoint: '*', kind: 'status', status: 503 });

		expect([(await client.health()).status, (await client.balance()).status]).toEqual([500, 503]);
	});

	it.each<[string, Fault]>([
		['an endpoint', { endpoint: 'getjob' as 'getJob', kind: 'reset' }],
		['a kind', { endpoint: 'getJob', kind: 'explode' as 'reset' }],
		['a field', { endpoint: 'getJob', kind: 'delay', delay: 5 } as Fault],
	])('are refused when they have %s that does not exist', async (_label, fault) => {
		await expect(sandbox.admin.fault(fault)).rejects.toThrow(/Unknown (endpoint|kind|field)/);
	});
});

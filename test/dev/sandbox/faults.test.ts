import type { IncomingMessage } from 'node:http';

import type { Fault } from '../../../dev/sandbox/types';
import { PRO, http, setUpSandbox, waitFor } from './setUpSandbox';

describe('Sandbox faults', () => {
	const sandbox = setUpSandbox();

	async function jobCount(): Promise<number> {
		return (await sandbox.admin.jobs()).length;
	}

	it.each([400, 401, 500, 503])('status %d: respond with an error body', async (status) => {
		await sandbox.admin.fault({ endpoint: 'startAgent', kind: 'status', status });

		const response = await sandbox.client.start();

		expect(response.status).toBe(status);
		expect(response.data).toEqual({ detail: expect.any(String), status_code: status });
		expect(response.headers['content-type']).toBe('application/json');
	});

	it('status 429: respond without a body, and with given headers', async () => {
		const headers = { 'Retry-After': '7' };
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'status', status: 429, headers });

		const response = await sandbox.client.status('job_1');

		expect([response.status, response.data]).toEqual([429, '']);
		expect(response.headers['retry-after']).toBe('7');
	});

	it.each([
		['broken JSON', { body: '{"status": "runn' }, 200, '{"status": "runn', 'application/json'],
		['nothing', { body: '' }, 200, '', 'application/json'],
		['any JSON', { body: [null, 2] }, 200, [null, 2], 'application/json'],
		['HTML', { body: '<p>', contentType: 'text/html', status: 502 }, 502, '<p>', 'text/html'],
	])('body: respond with %s', async (_label, fields, expectedStatus, expected, type) => {
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'body', ...fields });

		const { status, data, headers } = await sandbox.client.status('job_1');

		expect([status, data, headers['content-type']]).toEqual([expectedStatus, expected, type]);
	});

	it.each([
		[302, {}],
		[307, { status: 307 }],
	])('redirect: respond with %d and the location', async (expectedStatus, fields) => {
		const location = 'https://elsewhere.example/';
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'redirect', location, ...fields });

		const { status, headers } = await sandbox.client.status('job_1');

		expect([status, headers.location]).toEqual([expectedStatus, location]);
	});

	it('reset: reset the connection without a response', async () => {
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'reset' });

		await expect(sandbox.client.health()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(await sandbox.admin.requests()).toMatchObject([{ answered: 'reset' }]);
	});

	it('truncate: close the connection after the given number of bytes', async () => {
		const files = [{ filename: 'big.bin', sizeBytes: 1_000_000 }];
		const jobId = await sandbox.startJob({ files, durationSeconds: 0 });
		const link = (await sandbox.client.files(jobId)).data.files[0].download_url;
		await sandbox.admin.fault({ endpoint: 'file', kind: 'truncate', truncateAfterBytes: 150_000 });

		const { data, headers } = await http.get<IncomingMessage>(link, { responseType: 'stream' });
		let received = 0;
		const download = (async () => {
			for await (const chunk of data as AsyncIterable<Buffer>) received += chunk.length;
		})();

		await expect(download).rejects.toThrow('aborted');
		expect([headers['content-length'], received]).toEqual(['1000000', 150_000]);
	});

	it('stall: send part of the body and keep the connection open', async () => {
		const url = `${sandbox.url}/v1/health`;
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'stall', truncateAfterBytes: 5 });

		const { data } = await http.get<IncomingMessage>(url, { responseType: 'stream' });
		const { value } = (await data[Symbol.asyncIterator]().next()) as IteratorResult<Buffer>;
		await sandbox.admin.counters();

		expect(String(value)).toHaveLength(5);
		expect([data.readableEnded, data.destroyed]).toEqual([false, false]);
		data.destroy();
	});

	const faults: Array<[string, Omit<Fault, 'endpoint'>]> = [
		['status', { kind: 'status', status: 500 }],
		['body', { kind: 'body', body: 'broken' }],
		['redirect', { kind: 'redirect', location: '/' }],
		['reset', { kind: 'reset' }],
		['truncate', { kind: 'truncate' }],
	];

	it.each(faults)('%s: prevent the operation, or run it with when: after', async (_kind, fault) => {
		await sandbox.admin.fault({ endpoint: 'startAgent', ...fault });
		await sandbox.admin.fault({ endpoint: 'startAgent', when: 'after', ...fault });

		await sandbox.client.start().catch(() => undefined);
		const jobsBefore = await jobCount();
		await sandbox.client.start().catch(() => undefined);

		expect([jobsBefore, await jobCount()]).toEqual([0, 1]);
	});

	it('affect as many requests as `times` says, after those of `skip`', async () => {
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'status', times: 2, skip: 1 });

		const statuses: number[] = [];
		while (statuses.length < 5) statuses.push((await sandbox.client.health()).status);

		expect(statuses).toEqual([200, 500, 500, 200, 200]);
		expect((await sandbox.admin.counters()).faults).toBe(2);
	});

	it('last until they are cleared with times: always', async () => {
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'status', times: 'always' });
		const responses = [await sandbox.client.health(), await sandbox.client.health()];
		await sandbox.admin.clearFaults();
		responses.push(await sandbox.client.health());

		expect(responses.map(({ status }) => status)).toEqual([500, 500, 200]);
	});

	it('can be limited to one job, and are used in order', async () => {
		const [jobId, other] = [await sandbox.startJob(), await sandbox.startJob()];
		await sandbox.admin.fault({ endpoint: '*', jobId, kind: 'status', status: 500 });
		await sandbox.admin.fault({ endpoint: '*', kind: 'status', status: 503 });

		expect((await sandbox.client.status(other)).status).toBe(503);
		expect((await sandbox.client.files(jobId)).status).toBe(500);
	});
});

describe('Sandbox delays', () => {
	let realMs = 1_700_000_000_000;
	const sandbox = setUpSandbox({ realNow: () => realMs });
	const delay: Fault = { endpoint: 'startAgent', kind: 'delay', delayMs: 20 };

	async function firstResponse(): Promise<unknown> {
		return (await sandbox.admin.requests())[0]?.answered;
	}

	it.each([
		['before', 0],
		['after', 1],
	] as const)('%s the operation hold back the response', async (when, jobsMeanwhile) => {
		await sandbox.admin.fault({ ...delay, when });

		const start = sandbox.client.start();
		await waitFor(async () => (await sandbox.admin.counters()).faults === 1);
		await waitFor(async () => (await sandbox.admin.jobs()).length === jobsMeanwhile);
		const response = await firstResponse();
		realMs += 20;

		expect(response).toBe('pending');
		expect((await start).status).toBe(200);
		expect(await sandbox.admin.jobs()).toHaveLength(1);
	});

	it('let the operation run although the client has disconnected', async () => {
		await sandbox.admin.fault(delay);
		const client = new AbortController();
		const headers = { Authorization: `Bearer ${PRO}`, 'Content-Type': 'application/json' };
		const url = `${sandbox.url}/v1/run_browser_agent`;
		const start = http.post(url, { directive: 'Look around' }, { headers, signal: client.signal });

		await waitFor(async () => (await firstResponse()) === 'pending');
		client.abort();
		await expect(start).rejects.toThrow('canceled');
		await waitFor(async () => (await firstResponse()) === 'abandoned');
		const jobs = await sandbox.admin.jobs();
		realMs += 20;
		await waitFor(async () => (await sandbox.admin.jobs()).length === 1);

		expect(jobs).toEqual([]);
	});
});

import { text } from 'node:stream/consumers';

import { InProcessSandbox } from '../../../dev/sandbox/InProcessSandbox';
import type { Fault } from '../../../dev/sandbox/types';
import { http, PRO, setUpSandbox } from './setUpSandbox';

const RAW = {
	head: 'HTTP/1.1 299 Odd\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
	body: Buffer.from('odd').toString('base64'),
};

describe('A fault of the sandbox', () => {
	const sandbox = setUpSandbox();

	it('of the kind fields changes some fields of the real response', async () => {
		const jobId = await sandbox.startJob();
		await sandbox.admin.fault({ endpoint: 'getJob', kind: 'fields', body: { status: 7, odd: 1 } });

		const body = await sandbox.poll(jobId);

		expect(body).toMatchObject({ job_id: jobId, status: 7, odd: 1 });
	});

	it('skips as many requests as it says, and then affects as many', async () => {
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'status', skip: 1, times: 2 });

		const statuses: number[] = [];
		for (let count = 0; count < 4; count++) {
			statuses.push((await sandbox.client.health()).status);
		}

		expect(statuses).toEqual([200, 500, 500, 200]);
	});

	it.each<[Fault['when'], number]>([
		['before', 0],
		['after', 1],
	])('comes %s the operation, which starts %d jobs', async (when, jobs) => {
		await sandbox.admin.fault({ endpoint: 'startAgent', kind: 'status', when });

		const { status } = await sandbox.client.start();

		expect(status).toBe(500);
		expect(await sandbox.admin.jobs()).toHaveLength(jobs);
	});

	it.each<[Fault['kind']]>([['truncate'], ['reset']])(
		'of the kind %s breaks the connection',
		async (kind) => {
			await sandbox.admin.fault({ endpoint: 'getHealth', kind });

			await expect(sandbox.client.health()).rejects.toThrow(/ECONNRESET|aborted|socket hang up/);
		},
	);

	it('of the kind raw writes the bytes that it has', async () => {
		await sandbox.admin.fault({ endpoint: 'getHealth', kind: 'raw', raw: RAW });

		const { status, statusText, data } = await sandbox.client.health();

		expect([status, statusText, data]).toEqual([299, 'Odd', 'odd']);
	});

	it('of the kind delay sends the real response after as many seconds', async () => {
		const slept: number[] = [];
		const sleep = async (ms: number) => void slept.push(ms);
		const service = new InProcessSandbox({ clock: { now: () => 0, sleep } });
		service.state.faults.add({ endpoint: 'getHealth', kind: 'delay', delaySeconds: 9 });

		const { statusCode } = await service.receive({ url: `${service.url}/v1/health` }).response;

		expect([statusCode, slept]).toEqual([200, [9_000]]);
	});
});

describe('The sandbox in process', () => {
	const sandbox = setUpSandbox();

	it.each<[string, string, string, string | undefined, Omit<Fault, 'endpoint'> | undefined]>([
		['an unknown path', 'GET', '/v1/nothing', PRO, undefined],
		['an unknown job', 'GET', '/v1/get_job_status/job_1', PRO, undefined],
		['a blank directive', 'POST', '/v1/run_browser_agent', PRO, undefined],
		['a fault of the kind body', 'GET', '/v1/health', PRO, { kind: 'body', body: 'Hello' }],
		['a fault of the kind fields', 'GET', '/v1/health', PRO, { kind: 'fields', body: { a: 1 } }],
	])('answers %s as its server does', async (_label, method, path, key, fault) => {
		const service = new InProcessSandbox({});
		const body = method === 'POST' ? '{"directive": " "}' : undefined;
		const headers = { 'Content-Type': 'application/json', ...(key && authorization(key)) };
		if (fault !== undefined) {
			service.state.faults.add({ endpoint: '*', ...fault });
			await sandbox.admin.fault({ endpoint: '*', ...fault });
		}

		const inProcess = await service.receive({ method, url: service.url + path, headers, body })
			.response;

		const served = await http.request({
			method,
			url: sandbox.url + path,
			headers,
			data: body,
			responseType: 'text',
		});
		expect(inProcess.statusCode).toBe(served.status);
		expect(await text(inProcess.body)).toBe(served.data);
		expect(served.headers).toMatchObject({
			...inProcess.headers,
			'content-type': expect.stringContaining('application/json'),
		});
	});

	it.each<[Fault['kind'], string]>([
		['reset', 'ECONNRESET'],
		['refuse', 'ECONNREFUSED'],
	])('fails by a fault of the kind %s with %s', async (kind, code) => {
		const service = new InProcessSandbox({});
		service.state.faults.add({ endpoint: '*', kind });

		const { response } = service.receive({ url: `${service.url}/v1/health` });

		await expect(response).rejects.toMatchObject({ code });
	});

	it('breaks a body in the middle by a fault of the kind truncate', async () => {
		const service = new InProcessSandbox({});
		service.state.faults.add({ endpoint: '*', kind: 'truncate' });

		const { body } = await service.receive({ url: `${service.url}/v1/health` }).response;

		await expect(text(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
	});
});

function authorization(key: string) {
	return { Authorization: `Bearer ${key}` };
}

import type { AxiosResponse } from 'axios';

import { type Client, FORBIDDEN, FREE, PRO, http, setUpSandbox } from './setUpSandbox';

type Call = (client: Client, jobId: string) => Promise<AxiosResponse>;

const JOB_CALLS: Array<[string, Call]> = [
	['getJob', (client, jobId) => client.status(jobId)],
	['pauseJob', (client, jobId) => client.pause(jobId)],
	['resumeJob', (client, jobId) => client.resume(jobId)],
	['getJobFiles', (client, jobId) => client.files(jobId)],
];

const CALLS_WITH_KEY: Array<[string, Call]> = [
	...JOB_CALLS,
	['startAgent', (client) => client.start()],
	['runWorkflow', (client) => client.runWorkflow('wf_daily_report')],
	['getCreditBalance', (client) => client.balance()],
];

const sandbox = setUpSandbox();

describe('Sandbox requests', () => {
	it('to getHealth need no key', async () => {
		const { status, data } = await sandbox.clientWith().health();

		expect([status, data]).toEqual([200, { status: 'ok' }]);
	});

	it.each(JOB_CALLS)("to %s for another account's job are answered with 404", async (_, call) => {
		const jobId = await sandbox.startJob();

		const { status, data } = await call(sandbox.clientWith(FREE), jobId);

		expect(status).toBe(404);
		expect(data).toEqual({ detail: 'Job not found', status_code: 404 });
	});

	it.each([
		['an unknown path', 'GET', '/v1/nothing', 404],
		['a path without its job ID', 'GET', '/v1/get_job_status/', 404],
		['a job ID with an invalid encoding', 'GET', '/v1/get_job_status/%zz', 404],
		['a job ID with an encoded slash', 'GET', '/v1/get_job_status/a%2Fb', 404],
		['a wrong method', 'GET', '/v1/run_browser_agent', 405],
	])('to %s have an error as response: %s %s', async (_label, method, path, expected) => {
		const headers = { Authorization: `Bearer ${PRO}` };

		const { status, data } = await http.request({ method, url: sandbox.url + path, headers });

		expect(status).toBe(expected);
		expect(data).toEqual({ detail: expect.any(String), status_code: expected });
	});

	it.each([
		['width', 319, 'minimum', 'must be >= 320'],
		['width', '1280', 'type', 'must be integer'],
	])('with browser_config.%s = %p are answered with 422', async (field, value, type, msg) => {
		const browser_config = { [field]: value };

		const { status, data } = await sandbox.client.start({ directive: 'Look', browser_config });

		expect(status).toBe(422);
		expect(data).toEqual({ detail: [{ loc: ['body', 'browser_config', field], msg, type }] });
	});

	it.each([
		['no directive', '{}', ['body', 'directive'], 'required'],
		['a number as directive', '{"directive":5}', ['body', 'directive'], 'type'],
		['an array', '[]', ['body'], 'type'],
		['no body', '', ['body'], 'required'],
		['broken JSON', '{"directive": "Look', ['body', expect.any(Number)], 'json_invalid'],
	])('to startAgent with %s are answered with 422', async (_label, body, loc, type) => {
		const { status, data } = await sandbox.client.start(Buffer.from(body));

		expect(status).toBe(422);
		expect(data).toEqual({ detail: [{ loc, msg: expect.any(String), type }] });
	});

	it('that are invalid start no job', async () => {
		await sandbox.admin.setCredits(FREE, 0);
		const broke = sandbox.clientWith(FREE);

		const responses = [
			await sandbox.client.start({ directive: ' \n ' }),
			await sandbox.clientWith().start({ directive: 5 }),
			await broke.start(),
			await broke.runWorkflow('wf_daily_report'),
			await sandbox.client.start({}),
		];

		expect(responses.map(({ status }) => status)).toEqual([400, 401, 402, 402, 422]);
		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it('to startAgent are answered with the job and its links', async () => {
		const { url } = sandbox;

		const { status, data } = await sandbox.client.start();

		expect(status).toBe(200);
		expect(data).toEqual({
			job_id: expect.stringMatching(/^job_[0-9a-f]{24}$/),
			status: 'running',
			live_url: expect.stringContaining(data.job_id),
			cdp_url: expect.stringMatching(/^wss:\/\/.*token=/),
			history_url: `${url}/_sandbox/jobs/${data.job_id}/history`,
			polling_url: `${url}/v1/get_job_status/${data.job_id}`,
		});
	});

	it("to startAgent with the client's own browser are answered with its URLs", async () => {
		const urls = { cdp_url: 'wss://own.example/devtools', live_url: 'https://own.example/live' };

		const { data } = await sandbox.client.start({ directive: 'Look', ...urls });

		expect(data).toMatchObject(urls);
	});
});

describe.each(CALLS_WITH_KEY)('Sandbox requests to %s', (_endpoint, call) => {
	it.each([
		['no key', undefined],
		['an unknown key', 'sandbox-unknown-key'],
		['a key in the wrong case', PRO.toUpperCase()],
	])('with %s are answered with 401', async (_label, key) => {
		const { status, data, headers } = await call(sandbox.clientWith(key), 'job_1');

		expect(status).toBe(401);
		expect(data).toEqual({ detail: 'The API key is missing or invalid', status_code: 401 });
		expect(headers['www-authenticate']).toBe('Bearer');
	});

	it('with a key without permission are answered with 403', async () => {
		const { status, data } = await call(sandbox.clientWith(FORBIDDEN), 'job_1');

		expect(status).toBe(403);
		expect(data).toEqual({ detail: expect.any(String), status_code: 403 });
	});
});

import type { AxiosResponse } from 'axios';

import { type Client, FORBIDDEN, FREE, PRO, http, setUpSandbox } from './setUpSandbox';

type Call = (client: Client, jobId: string) => Promise<AxiosResponse>;

const JOB_CALLS: Array<[string, Call]> = [
	['getJob', (client, jobId) => client.status(jobId)],
	['pauseJob', (client, jobId) => client.pause(jobId)],
	['resumeJob', (client, jobId) => client.resume(jobId)],
	['getJobFiles', (client, jobId) => client.files(jobId)],
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
		['a job ID with an invalid encoding', 'GET', '/v1/get_job_status/%zz', 404],
		['a wrong method', 'GET', '/v1/run_browser_agent', 405],
	])('to %s have an error as response: %s %s', async (_label, method, path, expected) => {
		const headers = { Authorization: `Bearer ${PRO}` };

		const { status, data } = await http.request({ method, url: sandbox.url + path, headers });

		expect(status).toBe(expected);
		expect(data).toEqual({ detail: expect.any(String), status_code: expected });
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
});

describe('Sandbox requests to an endpoint that needs a key', () => {
	it.each([
		['no key', undefined],
		['an unknown key', 'sandbox-unknown-key'],
		['a key in the wrong case', PRO.toUpperCase()],
	])('with %s are answered with 401', async (_label, key) => {
		const { status, data, headers } = await sandbox.clientWith(key).balance();

		expect(status).toBe(401);
		expect(data).toEqual({ detail: 'The API key is missing or invalid', status_code: 401 });
		expect(headers['www-authenticate']).toBe('Bearer');
	});

	it('with a key without permission are answered with 403', async () => {
		const { status, data } = await sandbox.clientWith(FORBIDDEN).balance();

		expect(status).toBe(403);
		expect(data).toEqual({ detail: expect.any(String), status_code: 403 });
	});
});

import type { AxiosResponse } from 'axios';

import type { Api } from './Api';
import { type Client, http } from './client';

type Call = (client: Client, jobId: string) => Promise<AxiosResponse>;

const JOB_CALLS: Array<[string, Call]> = [
	['getJob', (client, jobId) => client.status(jobId)],
	['pauseJob', (client, jobId) => client.pause(jobId)],
	['resumeJob', (client, jobId) => client.resume(jobId)],
	['getJobFiles', (client, jobId) => client.files(jobId)],
];

/** Tests which requests are refused, and by which errors. */
export function testRequests(api: Api): void {
	const { driver } = api;
	const { otherKey, forbiddenKey } = driver.differences;

	describe('Requests', () => {
		it('to getHealth need no key', async () => {
			const { status, data } = await api.clientWith().health();

			expect([status, data]).toEqual([200, { status: 'ok' }]);
		});

		it.each(JOB_CALLS)('to %s for an unknown job are answered with 404', async (_, call) => {
			const { status, data } = await call(api.client, 'job_none');

			expect(status).toBe(404);
			expect(data).toEqual({ detail: 'Job not found', status_code: 404 });
		});

		if (otherKey !== undefined) {
			it.each(JOB_CALLS)(
				"to %s for another account's job are answered with 404",
				async (_, call) => {
					const jobId = await api.startJob();

					const { status, data } = await call(api.clientWith(otherKey), jobId);

					expect(status).toBe(404);
					expect(data).toEqual({ detail: 'Job not found', status_code: 404 });
				},
			);
		}

		it.each([
			['an unknown path', 'GET', '/v1/nothing', 404, undefined],
			['a job ID with an invalid encoding', 'GET', '/v1/get_job_status/%zz', 404, undefined],
			['a wrong method', 'GET', '/v1/run_browser_agent', 405, 'POST'],
		])('to %s have an error as response: %s %s', async (_label, method, path, expected, allow) => {
			const headers = { Authorization: `Bearer ${driver.key}` };

			const response = await http.request({ method, url: driver.url + path, headers });

			expect(response.status).toBe(expected);
			expect(response.data).toEqual({ detail: expect.any(String), status_code: expected });
			expect(response.headers.allow).toBe(allow);
		});
	});

	describe('Requests to an endpoint that needs a key', () => {
		it.each([
			['no key', undefined],
			['an unknown key', 'an-unknown-key'],
			['a key in the wrong case', driver.key.toUpperCase()],
			['a key with more behind it', `${driver.key}x`],
		])('with %s are answered with 401', async (_label, key) => {
			const { status, data, headers } = await api.clientWith(key).balance();

			expect(status).toBe(401);
			expect(data).toEqual({ detail: 'The API key is missing or invalid', status_code: 401 });
			expect(headers['www-authenticate']).toBe('Bearer');
		});

		if (forbiddenKey !== undefined) {
			it('with a key without permission are answered with 403', async () => {
				const { status, data } = await api.clientWith(forbiddenKey).balance();

				expect(status).toBe(403);
				expect(data).toEqual({ detail: expect.any(String), status_code: 403 });
			});
		}
	});
}

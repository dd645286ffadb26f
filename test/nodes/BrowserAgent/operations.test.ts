import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName, FileScript, JobScript } from '../../../dev/sandbox/types';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

// The operations that send one request for each item.
const service = useSandbox();

const LINKS = {
	live_url: expect.stringMatching(/\/live$/) as string,
	history_url: expect.stringContaining('http') as string,
};

async function runJob(
	operation: string,
	parameters: INodeParameters = {},
	input?: SandboxRun['input'],
) {
	return await service.run({ resource: 'job', operation, parameters, input });
}

describe('An operation on a job', () => {
	it.each<[string, string, EndpointName]>([
		['job', 'get', 'getJob'],
		['job', 'pause', 'pauseJob'],
		['job', 'resume', 'resumeJob'],
		['jobFile', 'getAll', 'getJobFiles'],
	])('names a job that was not found, after one request: %s: %s', async (...given) => {
		const [resource, operation, endpoint] = given;

		const { error } = await service.run({ resource, operation, parameters: { jobId: 'job_gone' } });

		expect(error).toMatchObject({
			message: 'Job job_gone was not found',
			description: expect.stringContaining('Check the ID'),
			context: { itemIndex: 0, jobIds: ['job_gone'] },
		});
		expect((await service.requests()).map((request) => request.endpoint)).toEqual([endpoint]);
	});

	it.each([
		['with reserved characters', ' job?x=1#2 ', 'job%3Fx%3D1%232'],
		['that is a number', '={{ 4711 }}', '4711'],
	])('sends a job ID %s as one segment of the path', async (_label, jobId, segment) => {
		await runJob('get', { jobId });

		const [request] = await service.requests();
		expect(request?.path).toBe(`/v1/get_job_status/${segment}`);
	});
});

describe('Job: Get Status', () => {
	it('sends one request for the job whose ID is in the item', async () => {
		const jobId = await service.givenJob();

		const { json } = await runJob('get', {}, [{ job_id: jobId }]);

		expect(await service.requests()).toMatchObject([
			{ method: 'GET', path: `/v1/get_job_status/${jobId}` },
		]);
		expect(json[0]?.job_id).toBe(jobId);
	});

	it('returns a finished job, without the CDP URL', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done', steps: 2 });

		const { items } = await runJob('get', { jobId });

		const job = { job_id: jobId, status: 'completed', output: 'Done', credits_used: 10 };
		expect(items).toEqual([
			{ json: { ...job, ...LINKS, is_finished: true }, pairedItem: { item: 0 } },
		]);
	});

	it.each([
		['paused', 'paused', false],
		['failed', 'failed', true],
		['user_taken_over', 'user_taken_over', true],
		['cancelled', 'canceled', true],
		['an_unknown_status', 'an_unknown_status', false],
	])('returns the status %s as %s with is_finished %s', async (sent, status, is_finished) => {
		const jobId = await service.givenJob([sent]);

		const { json } = await runJob('get', { jobId });

		expect(json[0]).toMatchObject({ status, is_finished });
	});

	it('returns the reason of a failed job as job_error and does not fail', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { json } = await runJob('get', { jobId });

		expect(json[0]).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(json[0]).not.toHaveProperty('error');
	});

	it.each<[string, keyof JobScript]>([
		['absent', 'omitFields'],
		['null', 'nullFields'],
	])('leaves out fields that are %s in the response', async (_label, key) => {
		const fields = ['output', 'error', 'credits_used', 'live_url', 'history_url'];
		const jobId = await service.givenJob({ statuses: ['running'], [key]: fields });

		const { json } = await runJob('get', { jobId });

		expect(json[0]).toEqual({ job_id: jobId, status: 'running', is_finished: false });
	});

	it("returns the service's whole response when Simplify is off", async () => {
		const jobId = await service.givenJob(['running']);

		const { json } = await runJob('get', { jobId, simplify: false });

		const cdp_url = expect.stringContaining('wss://') as string;
		expect(json[0]).toEqual({
			job_id: jobId,
			status: 'running',
			response: expect.objectContaining({ status: 'running', cdp_url, output: null }),
		});
	});

	// What is repeated, and when, is tested with `retryRead`.
	it('succeeds at the third attempt after two transient errors', async () => {
		const jobId = await service.givenJob();
		await service.fault('getJob', 503);
		await service.fault('getJob', { kind: 'body', body: '{"status": "run' });

		const { json } = await runJob('get', { jobId });

		expect(json[0]?.job_id).toBe(jobId);
		expect(await service.requests()).toHaveLength(3);
	});

	it.each<[string, FaultCase, string]>([
		['a 500', { kind: 'status', status: 500 }, 'The service failed to process the request'],
		['a 429', { kind: 'status', status: 429 }, 'Rate limit exceeded for this account'],
		['a truncated response', { kind: 'truncate' }, 'The connection to the service was lost'],
		['a body without a status', { kind: 'body', body: {} }, "The service's response could not"],
	])('names the job when three attempts in a row end with %s', async (_label, fault, words) => {
		const jobId = await service.givenJob();
		await service.fault('getJob', fault, { times: 'always' });

		const { error } = await runJob('get', { jobId });

		expect(error?.message).toContain(`Job ${jobId}: ${words}`);
		expect(await service.requests()).toHaveLength(3);
	});
});

describe('Job: Pause', () => {
	it('pauses a running job with one request without a body', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await runJob('pause', { jobId });

		const requests = await service.requests();
		const json = { job_id: jobId, status: 'success', message: `Job ${jobId} is paused` };
		expect(requests).toMatchObject([{ method: 'POST', path: `/v1/pause_job/${jobId}` }]);
		expect(requests[0]?.body).toBeUndefined();
		expect(await service.jobStatuses()).toEqual(['paused']);
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	// What else it can be is tested with `toResponseItem`.
	it.each<[string, FaultCase, object]>([
		['no body', { kind: 'status', status: 204, body: '' }, {}],
		['text', { kind: 'body', body: 'paused!', contentType: 'text/plain' }, { response: 'paused!' }],
		[
			'an error in the body',
			{ kind: 'body', body: { status: 'paused', error: 'slowly', note: null } },
			{ status: 'paused', job_error: 'slowly' },
		],
	])('accepts a response with %s', async (_label, fault, expected) => {
		const jobId = await service.givenJob(['running']);
		await service.fault('pauseJob', fault, { when: 'after' });

		const { json } = await runJob('pause', { jobId });

		expect(json[0]).toEqual({ job_id: jobId, ...expected });
	});
});

describe('Job: Resume', () => {
	it('resumes a paused job with one request without a body', async () => {
		const jobId = await service.givenJob(['paused', 'running']);

		const { json } = await runJob('resume', { jobId });

		const requests = await service.requests();
		expect(requests).toMatchObject([{ method: 'POST', path: `/v1/resume_job/${jobId}` }]);
		expect(requests[0]?.body).toBeUndefined();
		expect(json[0]).toEqual({
			job_id: jobId,
			status: 'success',
			message: `Job ${jobId} is resumed`,
			data: { job_id: jobId, status: 'running' },
		});
	});

	it('fails when the response is successful but its status is error', async () => {
		const jobId = await service.givenJob(['paused']);
		const body = { status: 'error', message: 'The browser is gone' };
		await service.fault('resumeJob', { kind: 'body', body });

		const { error } = await runJob('resume', { jobId });

		expect(error).toMatchObject({
			message: `Job ${jobId} could not be resumed: The browser is gone`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it.each([
		['pause', 'paused', 'Only a running job can be paused'],
		['resume', 'running', 'Only a paused job can be resumed'],
	])('as well as Pause names a job that refuses, with the reason: %s', async (...given) => {
		const [operation, status, reason] = given;
		const jobId = await service.givenJob([status]);

		const { error } = await runJob(operation, { jobId });

		expect(error).toMatchObject({
			message: `Job ${jobId}: The service did not accept the request: ${reason}`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});
});

describe('Job File: Get Many', () => {
	async function getFiles(...jobIds: string[]) {
		const input = jobIds.map((job_id) => ({ job_id }));
		return await service.run({ resource: 'jobFile', operation: 'getAll', input });
	}

	/** A finished job with these files. */
	async function givenFiles(...files: FileScript[]): Promise<string> {
		const jobId = await service.givenJob({ statuses: ['completed'], files });
		// The service lists files once it has shown that the job is finished.
		await runJob('get', { jobId });
		return jobId;
	}

	it('returns one item for each file', async () => {
		const jobId = await givenFiles(
			{ filename: 'a.csv' },
			{ filename: 'b.pdf', expiresInSeconds: 60 },
		);

		const { json } = await getFiles(jobId);

		const [request] = await service.sent('getJobFiles');
		const download_url = expect.stringMatching(/^http/) as string;
		expect(request).toMatchObject({ method: 'GET', path: `/v1/get_job_files/${jobId}` });
		expect(json).toEqual([
			{ job_id: jobId, filename: 'a.csv', download_url, expires_in: 3600 },
			{ job_id: jobId, filename: 'b.pdf', download_url, expires_in: 60 },
		]);
	});

	it.each<[string, unknown]>([
		['is empty', { files: [], file_count: 0 }],
		['is missing', {}],
		['is null', { files: null, file_count: null }],
	])('returns no items when the list of files %s', async (_label, body) => {
		const jobId = await givenFiles();
		await service.fault('getJobFiles', { kind: 'body', body });

		const { items, status } = await getFiles(jobId);

		expect(status).toBe('success');
		expect(items).toEqual([]);
	});

	it('leaves out fields that are null, and entries that are no files', async () => {
		const jobId = await givenFiles();
		const body = { files: [{ filename: 'a.csv', download_url: null }, 'nonsense'] };
		await service.fault('getJobFiles', { kind: 'body', body });

		const { json } = await getFiles(jobId);

		expect(json).toEqual([{ job_id: jobId, filename: 'a.csv' }]);
	});

	it('pairs the files with the items of their jobs', async () => {
		const one = await givenFiles({ filename: 'a' });
		const two = await givenFiles({ filename: 'b' }, { filename: 'c' });

		const { items } = await getFiles(one, two);

		expect(items.map(({ json, pairedItem }) => [json.filename, pairedItem])).toEqual([
			['a', { item: 0 }],
			['b', { item: 1 }],
			['c', { item: 1 }],
		]);
	});
});

describe('Account: Get Credit Balance', () => {
	async function getBalance(more: Partial<SandboxRun> = {}) {
		return await service.run({ resource: 'account', operation: 'getCreditBalance', ...more });
	}

	it('sends one signed request', async () => {
		await getBalance();

		expect(await service.requests()).toMatchObject([
			{
				method: 'GET',
				path: '/v1/get_credit_balance',
				headers: { authorization: 'Bearer sandbox-pro-key' },
			},
		]);
	});

	const next_reset = expect.stringMatching(/^\d{4}-.*Z$/) as string;

	it.each<[string, object]>([
		['free', { unlimited: false, credit_balance: 100, next_reset }],
		['pro', { unlimited: false, credit_balance: 10_000, next_reset }],
		['enterprise', { unlimited: true, message: 'Credits are unlimited on this plan' }],
	])('returns the balance of the %s plan without fields that are null', async (plan, expected) => {
		const { json } = await getBalance({ apiKey: `sandbox-${plan}-key` });

		expect(json).toEqual([{ plan, ...expected }]);
	});

	it('returns the message of the service when no credits are left', async () => {
		await service.admin.setCredits('sandbox-pro-key', 0);

		const { json } = await getBalance();

		const message = 'No credits are left until the next reset';
		expect(json[0]).toMatchObject({ credit_balance: 0, message });
	});

	it('returns one item for each input item', async () => {
		const { items } = await getBalance({ input: [{}, {}] });

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it.each([
		['wrong-key-1234', '401', 'The service did not accept the API key'],
		['sandbox-forbidden-key', '403', 'The API key has no permission for this'],
	])('fails after one request with the key %s', async (apiKey, httpCode, message) => {
		const { error } = await getBalance({ apiKey });

		expect(error).toMatchObject({ message, httpCode, context: { itemIndex: 0 } });
		expect(await service.requests()).toHaveLength(1);
	});
});

describe('Service: Get Health', () => {
	async function getHealth(more: Partial<SandboxRun> = {}) {
		return await service.run({ resource: 'service', operation: 'getHealth', ...more });
	}

	it('returns the response of a healthy service', async () => {
		const { items } = await getHealth();

		const json = { healthy: true, status_code: 200, response: { status: 'ok' } };
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('does not send the key, which may be wrong', async () => {
		const { json } = await getHealth({ apiKey: 'wrong-key-1234' });

		const [request] = await service.requests();
		expect(request).toMatchObject({ method: 'GET', path: '/v1/health' });
		expect(JSON.stringify(request)).not.toContain('wrong-key-1234');
		expect(json[0]?.healthy).toBe(true);
	});

	it.each<[string, FaultCase, object]>([
		[
			'a 503',
			{ kind: 'status', status: 503, body: { detail: 'Down for an hour' } },
			{ healthy: false, status_code: 503, response: { detail: 'Down for an hour' } },
		],
		[
			'the error page of a gateway',
			{ kind: 'body', status: 502, body: '<h1>Bad</h1>', contentType: 'text/html' },
			{ healthy: false, status_code: 502, response: '<h1>Bad</h1>' },
		],
		[
			'plain text',
			{ kind: 'body', body: 'OK', contentType: 'text/plain' },
			{ healthy: true, status_code: 200, response: 'OK' },
		],
	])('returns %s as an item', async (_label, fault, expected) => {
		await service.fault('getHealth', fault);

		const { json } = await getHealth();

		expect(json).toEqual([expected]);
	});

	it('does not follow a redirect', async () => {
		const location = `${service.url}/v1/health`;
		await service.fault('getHealth', { kind: 'redirect', location });

		const { json } = await getHealth();

		expect(json[0]).toMatchObject({ healthy: false, status_code: 302 });
		expect(await service.requests()).toHaveLength(1);
	});

	it('returns why the service could not be reached', async () => {
		const { json } = await getHealth({ baseUrl: 'http://127.0.0.1:1' });

		expect(json[0]).toEqual({ healthy: false, message: 'the connection was refused' });
	});
});

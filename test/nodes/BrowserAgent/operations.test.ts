import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName, FileScript } from '../../../dev/sandbox/types';
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
		['jobFile', 'getAll', 'getJobFiles'],
	])('names a job that was not found, after one request: %s: %s', async (...given) => {
		const [resource, operation, endpoint] = given;

		const { error } = await service.run({ resource, operation, parameters: { jobId: 'job_gone' } });

		expect(error).toMatchObject({
			message: 'Job job_gone was not found',
			description: expect.stringMatching(
				/^Check the ID.* Response: .*\. Asked for: [A-Z]+ \/v1\/[a-z_]+\/job_gone at 127\.0\.0\.1:\d+\.?$/,
			),
			context: { itemIndex: 0, jobIds: ['job_gone'] },
		});
		expect((await service.requests()).map((request) => request.endpoint)).toEqual([endpoint]);
	});

	it('says what was asked for when a URL is not found, with path and host', async () => {
		await service.fault('getCreditBalance', 404, { body: '<title>Welcome</title>' });

		const { error } = await service.run({ resource: 'account', operation: 'getCreditBalance' });

		expect(error?.description).toMatch(
			/ Asked for: GET \/v1\/get_credit_balance at 127\.0\.0\.1:\d+\.?$/,
		);
	});

	it('sends the job ID as one segment of the path', async () => {
		await runJob('get', { jobId: ' job?x=1#2 ' });

		const [request] = await service.requests();
		expect(request?.path).toBe('/v1/get_job_status/job%3Fx%3D1%232');
	});
});

describe('A number that the service writes as text', () => {
	it.each<[string, string, EndpointName, object, object]>([
		['job', 'get', 'getJob', { credits_used: ' 20 ' }, { credits_used: 20 }],
		['jobFile', 'getAll', 'getJobFiles', { files: [{ expires_in: '3600' }] }, { expires_in: 3600 }],
		[
			'account',
			'getCreditBalance',
			'getCreditBalance',
			{ credit_balance: '15' },
			{ credit_balance: 15 },
		],
	])('is a number in the item: %s: %s', async (resource, operation, endpoint, sent, shown) => {
		const body = { job_id: 'job_1', status: 'completed', ...sent };
		await service.fault(endpoint, { kind: 'body', body });

		const { json } = await service.run({ resource, operation, parameters: { jobId: 'job_1' } });

		expect(json).toMatchObject([shown]);
	});

	it.each(['', ' ', 'none', 'Infinity', null])('is left out if it is %j', async (credits_used) => {
		const body = { job_id: 'job_1', status: 'completed', credits_used };
		await service.fault('getJob', { kind: 'body', body });

		const { json } = await runJob('get', { jobId: 'job_1' });

		expect(json[0]).not.toHaveProperty('credits_used');
	});
});

describe('Job: Get Status', () => {
	// What an item shows of a job is tested with `toJobItem`.
	it('returns the job whose ID is in the item after one request, without the CDP URL', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done', steps: 2 });

		const { items } = await runJob('get', {}, [{ job_id: jobId }]);

		const job = { job_id: jobId, status: 'completed', output: 'Done', credits_used: 10 };
		expect(await service.requests()).toMatchObject([
			{ method: 'GET', path: `/v1/get_job_status/${jobId}` },
		]);
		expect(items).toEqual([
			{ json: { ...job, ...LINKS, is_finished: true }, pairedItem: { item: 0 } },
		]);
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
});

describe('Job: Pause', () => {
	it('pauses a running job with one request without a body', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await runJob('pause', { jobId });

		const requests = await service.requests();
		const json = { job_id: jobId, message: `Job ${jobId} is paused` };
		expect(requests).toMatchObject([{ method: 'POST', path: `/v1/pause_job/${jobId}` }]);
		expect(requests[0]?.body).toBeUndefined();
		expect(await service.jobStatuses()).toEqual(['paused']);
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('hides the address of a browser in a response', async () => {
		const jobId = await service.givenJob(['running']);
		const body = { message: 'Paused at wss://browser.example.com/1' };
		await service.fault('pauseJob', { kind: 'body', body });

		const { json } = await runJob('pause', { jobId });

		expect(json[0]).toEqual({ job_id: jobId, message: 'Paused at [hidden]' });
	});

	// What else a response can be is tested with `toResponseItem`.
	it('accepts a response without a body', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('pauseJob', { kind: 'status', status: 204, body: '' }, { when: 'after' });

		const { json } = await runJob('pause', { jobId });

		expect(json[0]).toEqual({ job_id: jobId });
	});
});

describe.each([
	['pause', 'pauseJob', 'running', 'paused'],
	['resume', 'resumeJob', 'paused', 'running'],
] as const)('Job: %s', (operation, endpoint, before, after) => {
	it('is sent again after a 429, which proves that nothing was done', async () => {
		const jobId = await service.givenJob([before]);
		await service.fault(endpoint, 429, { headers: { 'Retry-After': '20' } });

		const { json } = await runJob(operation, { jobId });

		expect(json[0]).toMatchObject({ job_id: jobId });
		expect(await service.jobStatuses()).toEqual([after]);
		expect(await service.sent(endpoint)).toHaveLength(2);
	});

	it('fails when the response is a success whose status is error', async () => {
		const jobId = await service.givenJob([before]);
		const body = { status: 'error', message: 'The browser is gone' };
		await service.fault(endpoint, { kind: 'body', body });

		const { error } = await runJob(operation, { jobId });

		expect(error).toMatchObject({
			message: `Job ${jobId} could not be ${operation}d`,
			description: expect.stringContaining('"message":"The browser is gone"') as string,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
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
			message: `Job ${jobId} is resumed`,
			data: { job_id: jobId, status: 'running' },
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

	it('returns one item for each file, paired with the item of its job', async () => {
		const one = await givenFiles(
			{ filename: 'a.csv' },
			{ filename: 'b.pdf', expiresInSeconds: 60 },
		);
		const two = await givenFiles({ filename: 'c' });

		const { items } = await getFiles(one, two);

		const download_url = expect.stringMatching(/^http/) as string;
		const file = { job_id: one, download_url, expires_in: 3600 };
		expect(items).toEqual([
			{ json: { ...file, filename: 'a.csv' }, pairedItem: { item: 0 } },
			{ json: { ...file, filename: 'b.pdf', expires_in: 60 }, pairedItem: { item: 0 } },
			{ json: { ...file, job_id: two, filename: 'c' }, pairedItem: { item: 1 } },
		]);
	});

	it('leaves out fields that are null, and entries that are no files', async () => {
		const jobId = await givenFiles();
		const body = { files: [{ filename: 'a.csv', download_url: null }, 'nonsense'] };
		await service.fault('getJobFiles', { kind: 'body', body });

		const { json } = await getFiles(jobId);

		expect(json).toEqual([{ job_id: jobId, filename: 'a.csv' }]);
	});
});

describe('Account: Get Credit Balance', () => {
	async function getBalance(more: Partial<SandboxRun> = {}) {
		return await service.run({ resource: 'account', operation: 'getCreditBalance', ...more });
	}

	const next_reset = expect.stringMatching(/^\d{4}-.*Z$/) as string;

	it.each<[string, object]>([
		['free', { unlimited: false, credit_balance: 100, next_reset }],
		['enterprise', { unlimited: true, message: 'Credits are unlimited on this plan' }],
	])('returns the balance of the %s plan without fields that are null', async (plan, expected) => {
		const { json } = await getBalance({ apiKey: `sandbox-${plan}-key` });

		expect(json).toEqual([{ plan, ...expected }]);
	});

	it('fails when the response reports an error as its status', async () => {
		const body = { status: 'error', message: 'The account is locked' };
		await service.fault('getCreditBalance', { kind: 'body', body });

		const { error, items } = await getBalance();

		expect(items).toEqual([]);
		expect(error?.description).toContain('"message":"The account is locked"');
	});
});

describe('Service: Get Health', () => {
	async function getHealth(more: Partial<SandboxRun> = {}) {
		return await service.run({ resource: 'service', operation: 'getHealth', ...more });
	}

	it('returns the response of a healthy service without sending the key', async () => {
		const { items } = await getHealth({ apiKey: 'wrong-key-1234' });

		const [request] = await service.requests();
		const json = { healthy: true, status_code: 200, response: { status: 'ok' } };
		expect(request).toMatchObject({ method: 'GET', path: '/v1/health' });
		expect(JSON.stringify(request)).not.toContain('wrong-key-1234');
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	const DOWN = { detail: 'Down for an hour' };
	const OK: FaultCase = { kind: 'body', body: 'OK', contentType: 'text/plain' };

	it.each<[string, FaultCase, object]>([
		[
			'a 503',
			{ kind: 'status', status: 503, body: DOWN },
			{ healthy: false, status_code: 503, response: DOWN },
		],
		['plain text', OK, { healthy: true, status_code: 200, response: 'OK' }],
	])('returns %s as an item', async (_label, fault, expected) => {
		await service.fault('getHealth', fault);

		const { json } = await getHealth();

		expect(json).toEqual([expected]);
	});

	it('returns why the service could not be reached', async () => {
		const { json } = await getHealth({ baseUrl: 'http://127.0.0.1:1' });

		expect(json[0]).toEqual({
			healthy: false,
			message: 'The service could not be reached: connect ECONNREFUSED 127.0.0.1:1',
		});
	});
});

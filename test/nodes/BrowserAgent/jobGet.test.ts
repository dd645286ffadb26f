import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

async function getJob(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.run({ resource: 'job', operation: 'get', parameters, ...more });
}

describe('Job: Get Status', () => {
	it('sends one request for the job whose ID is in the item', async () => {
		const jobId = await service.givenJob();

		const { items } = await getJob({}, { input: [{ job_id: jobId }] });

		expect(await service.requests()).toMatchObject([
			{ method: 'GET', path: `/v1/get_job_status/${jobId}` },
		]);
		expect(items[0]?.json.job_id).toBe(jobId);
	});

	it('returns a finished job', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done', steps: 2 });

		const { items } = await getJob({ jobId });

		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: 10,
					live_url: expect.stringMatching(/\/live$/),
					history_url: expect.stringContaining('http'),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it.each<[string, string, boolean]>([
		['paused', 'paused', false],
		['failed', 'failed', true],
		['user_taken_over', 'user_taken_over', true],
		['cancelled', 'canceled', true],
		['an_unknown_status', 'an_unknown_status', false],
	])('returns the status %s as %s with is_finished %s', async (sent, status, isFinished) => {
		const jobId = await service.givenJob([sent]);

		const { items } = await getJob({ jobId });

		expect(items[0]?.json).toMatchObject({ status, is_finished: isFinished });
	});

	it('returns the reason of a failed job as job_error and does not fail', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { items, status } = await getJob({ jobId });

		expect(status).toBe('success');
		expect(items[0]?.json).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	it.each<[string, JobScript]>([
		['absent', { omitFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
		['null', { nullFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
	])('leaves out fields that are %s in the response', async (_label, script) => {
		const jobId = await service.givenJob({ statuses: ['running'], ...script });

		const { items } = await getJob({ jobId });

		expect(items[0]?.json).toEqual({ job_id: jobId, status: 'running', is_finished: false });
	});

	it("returns the service's whole response when Simplify is off", async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await getJob({ jobId, simplify: false });

		expect(items[0]?.json).toEqual({
			job_id: jobId,
			status: 'running',
			response: expect.objectContaining({
				status: 'running',
				cdp_url: expect.stringContaining('wss://'),
				output: null,
			}),
		});
	});

	it('does not return the CDP URL when Simplify is on', async () => {
		const jobId = await service.givenJob(['completed']);

		const { items } = await getJob({ jobId });

		expect(JSON.stringify(items)).not.toContain('wss://');
	});

	it.each<[string, string, string]>([
		['with reserved characters', ' job?x=1#2 ', 'job%3Fx%3D1%232'],
		['that is a number', '={{ 4711 }}', '4711'],
	])('sends a job ID %s as one segment of the path', async (_label, jobId, segment) => {
		await getJob({ jobId });

		const [request] = await service.requests();
		expect(request?.path).toBe(`/v1/get_job_status/${segment}`);
	});

	it('names a job that was not found, after one request', async () => {
		const { error } = await getJob({ jobId: 'job_gone' });

		expect(error).toMatchObject({
			message: 'Job job_gone was not found',
			description: expect.stringContaining('Check the ID'),
			context: { itemIndex: 0, jobIds: ['job_gone'] },
		});
		expect(await service.requests()).toHaveLength(1);
	});

	it.each<[string, FaultCase]>([
		['a 503', { kind: 'status', status: 503 }],
		['a 429', { kind: 'status', status: 429 }],
		['a reset connection', { kind: 'reset' }],
		['an unreadable response', { kind: 'body', body: '{"status": "run' }],
	])('succeeds at the third attempt after %s, twice', async (_label, fault) => {
		const jobId = await service.givenJob();
		await service.admin.fault({ endpoint: 'getJob', ...fault, times: 2 });

		const { items } = await getJob({ jobId });

		expect(items[0]?.json).toMatchObject({ job_id: jobId, is_finished: expect.any(Boolean) });
		expect(await service.requests()).toHaveLength(3);
	});

	it.each<[string, FaultCase, string]>([
		['a 500', { kind: 'status', status: 500 }, 'The service failed to process the request'],
		['a 429', { kind: 'status', status: 429 }, 'Rate limit exceeded for this account'],
		['a reset connection', { kind: 'reset' }, 'The connection to the service was lost'],
		['a truncated response', { kind: 'truncate' }, 'The connection to the service was lost'],
		['a body without a status', { kind: 'body', body: {} }, "The service's response could not"],
	])('names the job when three attempts in a row end with %s', async (_label, fault, words) => {
		const jobId = await service.givenJob();
		await service.admin.fault({ endpoint: 'getJob', ...fault, times: 'always' });

		const { error } = await getJob({ jobId });

		expect(error?.message).toContain(`Job ${jobId}: ${words}`);
		expect(await service.requests()).toHaveLength(3);
	});

	it('fails at once when the service asks for a pause of an hour', async () => {
		const jobId = await service.givenJob();
		const headers = { 'Retry-After': '3600' };
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 429, headers });

		const { error } = await getJob({ jobId });

		expect(error?.message).toContain('Rate limit exceeded for this account');
		expect(await service.requests()).toHaveLength(1);
	});
});

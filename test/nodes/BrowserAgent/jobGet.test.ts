import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

async function getJob(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.run({ resource: 'job', operation: 'get', parameters, ...more });
}

async function itemOf(script: JobScript, parameters: INodeParameters = {}) {
	const jobId = await service.givenJob(script);
	const { items } = await getJob({ jobId, ...parameters });
	return items[0]?.json;
}

describe('Job: Get Status', () => {
	it('asks once for the job whose ID comes with the item', async () => {
		const jobId = await service.givenJob();

		const { items } = await getJob({}, { input: [{ job_id: jobId }] });

		const requests = await service.requests();
		expect(requests).toMatchObject([{ method: 'GET', path: `/v1/get_job_status/${jobId}` }]);
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
					live_url: expect.stringContaining('view=live'),
					history_url: expect.stringContaining('http'),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it.each<[string, string, boolean]>([
		['provisioning', 'provisioning', false],
		['running', 'running', false],
		['paused', 'paused', false],
		['completed', 'completed', true],
		['failed', 'failed', true],
		['user_taken_over', 'user_taken_over', true],
		['canceled', 'canceled', true],
		['cancelled', 'canceled', true],
		['thinking_hard', 'thinking_hard', false],
	])('returns the status %s as %s, finished: %s', async (sent, shown, isFinished) => {
		const item = await itemOf({ statuses: [sent] });

		expect(item).toMatchObject({ status: shown, is_finished: isFinished });
	});

	it("shows a failed job's reason under job_error, and is no failure itself", async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { items, status } = await getJob({ jobId });

		expect(status).toBe('success');
		expect(items[0]?.json).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	it.each<[string, JobScript]>([
		['absent', { omitFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
		['null', { nullFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
	])('leaves out what is %s in the answer', async (_label, script) => {
		const item = await itemOf({ statuses: ['running'], ...script });

		expect(item).toEqual({ job_id: expect.any(String), status: 'running', is_finished: false });
	});

	it("holds the service's whole answer when Simplify is off, the browser's address too", async () => {
		const item = await itemOf({ statuses: ['running'] }, { simplify: false });

		expect(item).toEqual({
			job_id: expect.any(String),
			status: 'running',
			response: expect.objectContaining({
				status: 'running',
				cdp_url: expect.stringContaining('wss://'),
				output: null,
			}),
		});
	});

	it('does not show the address of a browser when Simplify is on', async () => {
		const item = await itemOf({ statuses: ['completed'] });

		expect(JSON.stringify(item)).not.toContain('wss://');
	});

	it.each<[string, string, string]>([
		['a question mark', 'job?x=1', 'job%3Fx%3D1'],
		['a number sign', 'job#1', 'job%231'],
		['an encoded dot', '%2e%2e', '%252e%252e'],
		['space around it', ' job_1 ', 'job_1'],
	])('takes an ID with %s as one segment of the path', async (_label, jobId, segment) => {
		await getJob({ jobId });

		const [request] = await service.requests();
		expect(request?.path).toBe(`/v1/get_job_status/${segment}`);
	});

	it('takes an ID that is a number', async () => {
		await getJob({ jobId: '={{ 4711 }}' });

		const [request] = await service.requests();
		expect(request?.path).toBe('/v1/get_job_status/4711');
	});

	it('names the job that the service does not know', async () => {
		const { error } = await getJob({ jobId: 'job_gone' });

		expect(error).toMatchObject({
			message: 'Job job_gone was not found',
			description: expect.stringContaining('Check the ID'),
			context: { itemIndex: 0, jobIds: ['job_gone'] },
		});
	});

	it.each<[string, FaultCase, string]>([
		['a 500', { kind: 'status', status: 500 }, 'The service failed to process the request'],
		['a 429', { kind: 'status', status: 429 }, 'Rate limit exceeded for this account'],
		['a reset', { kind: 'reset' }, 'The connection to the service was lost'],
		['half an answer', { kind: 'truncate' }, 'The connection to the service was lost'],
		['broken JSON', { kind: 'body', body: '{"status": "run' }, "The service's response could not"],
		['a body without a status', { kind: 'body', body: {} }, "The service's response could not"],
		['a list for a body', { kind: 'body', body: ['running'] }, "The service's response could not"],
	])('names the job after %s', async (_label, fault, words) => {
		const jobId = await service.givenJob();
		await service.admin.fault({ endpoint: 'getJob', ...fault, times: 'always' });

		const { error } = await getJob({ jobId });

		expect(error?.message).toContain(`Job ${jobId}: ${words}`);
		await expect(service.requests()).resolves.toHaveLength(3);
	});

	it.each<[string, FaultCase]>([
		['a 503', { kind: 'status', status: 503 }],
		['a 429', { kind: 'status', status: 429 }],
		['a reset', { kind: 'reset' }],
		['broken JSON', { kind: 'body', body: '{"status": "run' }],
	])('asks again after %s, twice at most', async (_label, fault) => {
		const jobId = await service.givenJob();
		await service.admin.fault({ endpoint: 'getJob', ...fault, times: 2 });

		const { items } = await getJob({ jobId });

		expect(items[0]?.json).toMatchObject({ job_id: jobId, is_finished: expect.any(Boolean) });
		await expect(service.requests()).resolves.toHaveLength(3);
	});

	it('does not ask again when no later answer can be better', async () => {
		await getJob({ jobId: 'job_gone' });

		await expect(service.requests()).resolves.toHaveLength(1);
	});

	it('does not ask again when the service wants to be left alone for long', async () => {
		const jobId = await service.givenJob();
		const headers = { 'Retry-After': '3600' };
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 429, headers });

		const { error } = await getJob({ jobId });

		expect(error?.message).toContain('Rate limit exceeded for this account');
		await expect(service.requests()).resolves.toHaveLength(1);
	});
});

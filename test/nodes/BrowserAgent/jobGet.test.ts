import type { INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

async function getJob(parameters: INodeParameters, more: Partial<SandboxRun> = {}) {
	return await service.run({ resource: 'job', operation: 'get', parameters, ...more });
}

describe('Job: Get Status', () => {
	it('sends one request for the job whose ID is in the item', async () => {
		const jobId = await service.givenJob();

		const { json } = await getJob({}, { input: [{ job_id: jobId }] });

		expect(await service.requests()).toMatchObject([
			{ method: 'GET', path: `/v1/get_job_status/${jobId}` },
		]);
		expect(json[0]?.job_id).toBe(jobId);
	});

	it('returns a finished job, without the CDP URL', async () => {
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

	it.each([
		['paused', 'paused', false],
		['failed', 'failed', true],
		['user_taken_over', 'user_taken_over', true],
		['cancelled', 'canceled', true],
		['an_unknown_status', 'an_unknown_status', false],
	])('returns the status %s as %s with is_finished %s', async (sent, status, is_finished) => {
		const jobId = await service.givenJob([sent]);

		const { json } = await getJob({ jobId });

		expect(json[0]).toMatchObject({ status, is_finished });
	});

	it('returns the reason of a failed job as job_error and does not fail', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { json } = await getJob({ jobId });

		expect(json[0]).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(json[0]).not.toHaveProperty('error');
	});

	it.each<[string, keyof JobScript]>([
		['absent', 'omitFields'],
		['null', 'nullFields'],
	])('leaves out fields that are %s in the response', async (_label, key) => {
		const fields = ['output', 'error', 'credits_used', 'live_url', 'history_url'];
		const jobId = await service.givenJob({ statuses: ['running'], [key]: fields });

		const { json } = await getJob({ jobId });

		expect(json[0]).toEqual({ job_id: jobId, status: 'running', is_finished: false });
	});

	it("returns the service's whole response when Simplify is off", async () => {
		const jobId = await service.givenJob(['running']);

		const { json } = await getJob({ jobId, simplify: false });

		const cdp_url = expect.stringContaining('wss://') as string;
		expect(json[0]).toEqual({
			job_id: jobId,
			status: 'running',
			response: expect.objectContaining({ status: 'running', cdp_url, output: null }),
		});
	});

	it.each([
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

	// What is repeated, and when, is tested with `retryRead`.
	it('succeeds at the third attempt after two transient errors', async () => {
		const jobId = await service.givenJob();
		await service.fault('getJob', 503);
		await service.fault('getJob', { kind: 'body', body: '{"status": "run' });

		const { json } = await getJob({ jobId });

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

		const { error } = await getJob({ jobId });

		expect(error?.message).toContain(`Job ${jobId}: ${words}`);
		expect(await service.requests()).toHaveLength(3);
	});
});

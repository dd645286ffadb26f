import { useSandbox, type FaultCase } from '../../support/useSandbox';

const service = useSandbox();

async function pauseJob(jobId: string) {
	return await service.run({ resource: 'job', operation: 'pause', parameters: { jobId } });
}

describe('Job: Pause', () => {
	it('pauses a running job with one request without a body', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await pauseJob(jobId);

		const requests = await service.requests();
		expect(requests).toMatchObject([{ method: 'POST', path: `/v1/pause_job/${jobId}` }]);
		expect(requests[0]?.body).toBeUndefined();
		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(items).toEqual([
			{
				json: { job_id: jobId, status: 'success', message: `Job ${jobId} is paused` },
				pairedItem: { item: 0 },
			},
		]);
	});

	// What else it can be is tested with `toAnswerItem`.
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
		await service.admin.fault({ endpoint: 'pauseJob', when: 'after', ...fault });

		const { items, status } = await pauseJob(jobId);

		expect(status).toBe('success');
		expect(items[0]?.json).toEqual({ job_id: jobId, ...expected });
	});

	it('names a job that cannot be paused, with the reason', async () => {
		const jobId = await service.givenJob(['paused']);

		const { error } = await pauseJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId}: The service did not accept the request: Only a running job can be paused`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('names a job that was not found', async () => {
		const { error } = await pauseJob('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
	});
});

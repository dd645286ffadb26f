import { useSandbox, type FaultCase } from '../../support/useSandbox';

const service = useSandbox();

async function pauseJob(jobId: string) {
	return await service.run({ resource: 'job', operation: 'pause', parameters: { jobId } });
}

describe('Job: Pause', () => {
	it('pauses a running job', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await pauseJob(jobId);

		expect(await service.requests()).toMatchObject([
			{ method: 'POST', path: `/v1/pause_job/${jobId}` },
		]);
		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(items).toEqual([
			{
				json: { job_id: jobId, status: 'success', message: `Job ${jobId} is paused` },
				pairedItem: { item: 0 },
			},
		]);
	});

	it('sends no body', async () => {
		const jobId = await service.givenJob(['running']);

		await pauseJob(jobId);

		const [request] = await service.requests();
		expect(request?.body).toBeUndefined();
	});

	it.each<[string, FaultCase, object]>([
		['no body', { kind: 'status', status: 204, body: '' }, {}],
		['an empty object', { kind: 'body', body: {} }, {}],
		['null', { kind: 'body', body: 'null' }, {}],
		['text', { kind: 'body', body: 'paused!', contentType: 'text/plain' }, { response: 'paused!' }],
		['a list', { kind: 'body', body: ['paused'] }, { response: ['paused'] }],
		['true', { kind: 'body', body: 'true' }, { response: true }],
		[
			'an error in the body',
			{ kind: 'body', body: { status: 'paused', error: 'slowly', note: null } },
			{ status: 'paused', job_error: 'slowly' },
		],
	])('accepts an answer with %s', async (_label, fault, expected) => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', when: 'after', ...fault });

		const { items, status } = await pauseJob(jobId);

		expect(status).toBe('success');
		expect(items[0]?.json).toEqual({ job_id: jobId, ...expected });
	});

	it('says why a job cannot be paused, and names it', async () => {
		const jobId = await service.givenJob(['paused']);

		const { error } = await pauseJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId}: The service did not accept the request: Only a running job can be paused`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('names the job that the service does not know', async () => {
		const { error } = await pauseJob('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
	});
});

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function resumeJob(jobId: string) {
	return await service.run({ resource: 'job', operation: 'resume', parameters: { jobId } });
}

describe('Job: Resume', () => {
	it('resumes a paused job with one request without a body', async () => {
		const jobId = await service.givenJob(['paused', 'running']);

		const { items } = await resumeJob(jobId);

		const requests = await service.requests();
		expect(requests).toMatchObject([{ method: 'POST', path: `/v1/resume_job/${jobId}` }]);
		expect(requests[0]?.body).toBeUndefined();
		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'success',
					message: `Job ${jobId} is resumed`,
					data: { job_id: jobId, status: 'running' },
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('leaves out fields that are null in the response', async () => {
		const jobId = await service.givenJob(['paused', 'running']);
		const body = { status: 'success', message: null, data: null };
		await service.admin.fault({ endpoint: 'resumeJob', kind: 'body', when: 'after', body });

		const { items } = await resumeJob(jobId);

		expect(items[0]?.json).toEqual({ job_id: jobId, status: 'success' });
	});

	it('fails when the response is successful but its status is error', async () => {
		const jobId = await service.givenJob(['paused']);
		const body = { status: 'error', message: 'The browser is gone' };
		await service.admin.fault({ endpoint: 'resumeJob', kind: 'body', body });

		const { error } = await resumeJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId} could not be resumed: The browser is gone`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('names a job that cannot be resumed, with the reason', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await resumeJob(jobId);

		expect(error?.message).toBe(
			`Job ${jobId}: The service did not accept the request: Only a paused job can be resumed`,
		);
	});
});

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function resumeJob(jobId: string) {
	return await service.run({ resource: 'job', operation: 'resume', parameters: { jobId } });
}

describe('Job: Resume', () => {
	it('lets a paused job go on', async () => {
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

	it('leaves out what the service did not send', async () => {
		const jobId = await service.givenJob(['paused', 'running']);
		await service.admin.fault({
			endpoint: 'resumeJob',
			kind: 'body',
			when: 'after',
			body: { status: 'success', message: null, data: null },
		});

		const { items } = await resumeJob(jobId);

		expect(items[0]?.json).toEqual({ job_id: jobId, status: 'success' });
	});

	it('says why a job cannot be resumed, and names it', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await resumeJob(jobId);

		expect(error?.message).toBe(
			`Job ${jobId}: The service did not accept the request: Only a paused job can be resumed`,
		);
	});
});

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

describe('Job: Wait', () => {
	it('polls the job whose ID is in the item until it is finished, and returns it', async () => {
		const statuses = ['provisioning', 'running', 'completed'];
		const jobId = await service.givenJob({ statuses, output: 'Done' });

		const { items } = await service.run({
			resource: 'job',
			operation: 'wait',
			input: [{ job_id: jobId }],
		});

		const requests = await service.requests();
		expect(requests.map(({ path }) => path)).toEqual(Array(3).fill(`/v1/get_job_status/${jobId}`));
		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: 20,
					live_url: expect.stringMatching(/\/live$/),
					history_url: expect.stringContaining('http'),
					duration_seconds: expect.any(Number),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('polls a job once that is finished already', async () => {
		const jobId = await service.givenJob(['completed']);

		const { json } = await service.waitForJob(jobId);

		expect(await service.requests()).toHaveLength(1);
		expect(json[0]?.status).toBe('completed');
	});

	it("takes duration_seconds from the service's own times", async () => {
		const jobId = await service.givenJob({ durationSeconds: 100 });
		await service.admin.advance(3_600);

		const { json } = await service.waitForJob(jobId);

		expect(json[0]?.duration_seconds).toBe(100);
	});

	it('takes duration_seconds from its own wait when the service sends no times', async () => {
		const omitFields = ['created_at', 'updated_at'];
		const jobId = await service.givenJob({ statuses: ['running', 'completed'], omitFields });

		const { json } = await service.waitForJob(jobId, { pollIntervalSeconds: 6 });

		expect(json[0]?.duration_seconds).toBe(6);
	});

	it("returns the service's whole last response when Simplify is off", async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { json } = await service.run({
			resource: 'job',
			operation: 'wait',
			parameters: { jobId, simplify: false },
		});

		expect(json[0]).toEqual({
			job_id: jobId,
			status: 'completed',
			response: expect.objectContaining({ status: 'completed', job_id: jobId }),
		});
	});

	it('fails at once when the job was not found', async () => {
		const { error } = await service.waitForJob('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
		expect(await service.requests()).toHaveLength(1);
	});
});

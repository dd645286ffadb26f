import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const GONE = { body: { detail: 'Deleted after 30 days' }, times: 'always' } as const;

describe('A list of files for which the service responds with 410', () => {
	it.each(['getAll', 'download'])('is an error of Job File: %s', async (operation) => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJobFiles', 410, GONE);

		const { error, items } = await service.run({
			resource: 'jobFile',
			operation,
			parameters: { jobId },
		});

		expect(error).toMatchObject({
			message: `The files of job ${jobId} are no longer available`,
			description: 'The service has deleted them. Response: Deleted after 30 days.',
			httpCode: '410',
			context: { jobIds: [jobId] },
		});
		expect(items).toEqual([]);
	});

	it.each([
		['has no body', {}],
		['has a message of another form', { body: { message: 'Gone' } }],
	])('is one, too, if it %s', async (_label, answer) => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJobFiles', 410, answer);

		const { error } = await service.run({
			resource: 'jobFile',
			operation: 'getAll',
			parameters: { jobId },
		});

		expect(error?.message).toBe(`The files of job ${jobId} are no longer available`);
	});

	it('is an error of a job with Download Files, not a job without files', async () => {
		await service.admin.nextJob(['completed']);
		await service.fault('getJobFiles', 410, GONE);

		const { error } = await service.runAgent({ options: { downloadFiles: true } });

		const { job_id } = await service.onlyJob();
		expect(error).toMatchObject({
			message: `The files of job ${job_id} are no longer available`,
			description:
				'Only the download failed, not the job. The service has deleted them. Response: Deleted after 30 days.',
		});
	});

	it("is no proof if it is a proxy's page", async () => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJobFiles', 410, { contentType: 'text/html', body: '<p>Gone</p>' });

		const { error } = await service.run({
			resource: 'jobFile',
			operation: 'getAll',
			parameters: { jobId },
		});

		expect(error?.message).toBe(`Job ${jobId}: The service was not found at 'Base URL' (HTTP 410)`);
	});
});

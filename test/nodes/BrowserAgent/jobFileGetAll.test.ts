import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function getFiles(jobId: string) {
	return await service.run({ resource: 'jobFile', operation: 'getAll', parameters: { jobId } });
}

describe('Job File: Get Many', () => {
	it('returns one item for each file', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			files: [{ filename: 'a.csv' }, { filename: 'b.pdf', expiresInSeconds: 60 }],
		});
		await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });

		const { items } = await getFiles(jobId);

		const [request] = await service.requests({ endpoint: 'getJobFiles' });
		expect(request).toMatchObject({ method: 'GET', path: `/v1/get_job_files/${jobId}` });
		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					filename: 'a.csv',
					download_url: expect.stringMatching(/^http/),
					expires_in: 3600,
				},
				pairedItem: { item: 0 },
			},
			{
				json: {
					job_id: jobId,
					filename: 'b.pdf',
					download_url: expect.stringMatching(/^http/),
					expires_in: 60,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('returns no items for a job without files', async () => {
		const jobId = await service.givenJob(['completed']);

		const { items, status } = await getFiles(jobId);

		expect(status).toBe('success');
		expect(items).toEqual([]);
	});

	it.each<[string, unknown]>([
		['is missing', {}],
		['is null', { files: null, file_count: null }],
	])('returns no items when the list %s', async (_label, body) => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({ endpoint: 'getJobFiles', kind: 'body', body });

		const { items, status } = await getFiles(jobId);

		expect(status).toBe('success');
		expect(items).toEqual([]);
	});

	it('leaves out what the service did not say about a file', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({
			endpoint: 'getJobFiles',
			kind: 'body',
			body: { files: [{ filename: 'a.csv', download_url: null }, 'nonsense'] },
		});

		const { items } = await getFiles(jobId);

		expect(items.map(({ json }) => json)).toEqual([{ job_id: jobId, filename: 'a.csv' }]);
	});

	it('pairs the files with the items of their jobs', async () => {
		const jobIds = [
			await service.givenJob({ statuses: ['completed'], files: [{ filename: 'a' }] }),
			await service.givenJob({
				statuses: ['completed'],
				files: [{ filename: 'b' }, { filename: 'c' }],
			}),
		];
		const input = jobIds.map((jobId) => ({ job_id: jobId }));
		await service.run({ resource: 'job', operation: 'get', input });

		const { items } = await service.run({ resource: 'jobFile', operation: 'getAll', input });

		expect(items.map(({ json, pairedItem }) => [json.filename, pairedItem])).toEqual([
			['a', { item: 0 }],
			['b', { item: 1 }],
			['c', { item: 1 }],
		]);
	});

	it('names the job that the service does not know', async () => {
		const { error } = await getFiles('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
	});
});

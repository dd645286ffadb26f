import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function getFiles(...jobIds: string[]) {
	const input = jobIds.map((jobId) => ({ job_id: jobId }));
	return await service.run({ resource: 'jobFile', operation: 'getAll', input });
}

/** A finished job with these files. */
async function givenFiles(...files: Array<{ filename: string; expiresInSeconds?: number }>) {
	const jobId = await service.givenJob({ statuses: ['completed'], files });
	// The service lists files once it has shown that the job is finished.
	await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });
	return jobId;
}

describe('Job File: Get Many', () => {
	it('returns one item for each file', async () => {
		const jobId = await givenFiles(
			{ filename: 'a.csv' },
			{ filename: 'b.pdf', expiresInSeconds: 60 },
		);

		const { items } = await getFiles(jobId);

		const [request] = await service.requests({ endpoint: 'getJobFiles' });
		const download_url = expect.stringMatching(/^http/) as string;
		expect(request).toMatchObject({ method: 'GET', path: `/v1/get_job_files/${jobId}` });
		expect(items).toEqual([
			{
				json: { job_id: jobId, filename: 'a.csv', download_url, expires_in: 3600 },
				pairedItem: { item: 0 },
			},
			{
				json: { job_id: jobId, filename: 'b.pdf', download_url, expires_in: 60 },
				pairedItem: { item: 0 },
			},
		]);
	});

	it.each<[string, unknown]>([
		['is empty', { files: [], file_count: 0 }],
		['is missing', {}],
		['is null', { files: null, file_count: null }],
	])('returns no items when the list of files %s', async (_label, body) => {
		const jobId = await givenFiles();
		await service.admin.fault({ endpoint: 'getJobFiles', kind: 'body', body });

		const { items, status } = await getFiles(jobId);

		expect(status).toBe('success');
		expect(items).toEqual([]);
	});

	it('leaves out fields that are null, and entries that are no files', async () => {
		const jobId = await givenFiles();
		const body = { files: [{ filename: 'a.csv', download_url: null }, 'nonsense'] };
		await service.admin.fault({ endpoint: 'getJobFiles', kind: 'body', body });

		const { items } = await getFiles(jobId);

		expect(items.map(({ json }) => json)).toEqual([{ job_id: jobId, filename: 'a.csv' }]);
	});

	it('pairs the files with the items of their jobs', async () => {
		const jobIds = [
			await givenFiles({ filename: 'a' }),
			await givenFiles({ filename: 'b' }, { filename: 'c' }),
		];

		const { items } = await getFiles(...jobIds);

		expect(items.map(({ json, pairedItem }) => [json.filename, pairedItem])).toEqual([
			['a', { item: 0 }],
			['b', { item: 1 }],
			['c', { item: 1 }],
		]);
	});

	it('names a job that was not found', async () => {
		const { error } = await getFiles('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
	});
});

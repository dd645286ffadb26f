import { setUpSandbox } from './setUpSandbox';

describe('Sandbox job files', () => {
	const sandbox = setUpSandbox();

	it('are listed once the job has finished, whatever its status', async () => {
		const files = [
			{ filename: '../a' },
			{ filename: 'b', downloadUrl: 'https://elsewhere.example/b' },
		];
		const jobId = await sandbox.startJob({ files, outcome: 'failed' });

		const running = (await sandbox.client.files(jobId)).data;
		await sandbox.admin.advance(8);
		const failed = (await sandbox.client.files(jobId)).data;

		const ownUrl = expect.stringMatching(`^${sandbox.filesUrl}/files/`);
		expect(running).toEqual({ job_id: jobId, file_count: 0, files: [] });
		expect(failed).toEqual({
			job_id: jobId,
			file_count: 2,
			files: [
				{ filename: '../a', download_url: ownUrl, expires_in: 3600 },
				{ filename: 'b', download_url: 'https://elsewhere.example/b', expires_in: 3600 },
			],
		});
	});
});

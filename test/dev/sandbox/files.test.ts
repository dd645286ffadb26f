import type { FileScript } from '../../../dev/sandbox/types';
import { http, setUpSandbox } from './setUpSandbox';

describe('Sandbox job files', () => {
	const sandbox = setUpSandbox();

	/** Runs a job with these files and returns the links to them. */
	async function linksTo(...files: FileScript[]): Promise<string[]> {
		const { data } = await sandbox.client.files(
			await sandbox.startJob({ files, durationSeconds: 0 }),
		);
		return data.files.map((file: { download_url: string }) => file.download_url);
	}

	async function get(file: FileScript) {
		const [link = ''] = await linksTo(file);
		return await http.get<Buffer>(link, { responseType: 'arraybuffer' });
	}

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

	it.each<[string, FileScript, string, string]>([
		['text', { filename: 'ä.txt', content: 'Grüße' }, 'text/plain', 'Grüße'],
		['a scripted type', { filename: 'a.txt', contentType: 'image/webp' }, 'image/webp', ''],
	])('are served without a key, with type and size: %s', async (_label, file, type, text) => {
		const { status, headers, data } = await get(file);

		const length = String(Buffer.byteLength(text));
		expect([status, data.toString()]).toEqual([200, text]);
		expect(headers).toMatchObject({ 'content-type': type, 'content-length': length });
	});
});

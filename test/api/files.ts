import type { Api } from './Api';
import { JOB_SECONDS } from './ApiDriver';
import { http } from './client';

const FILE = { filename: 'report.csv', content: 'name,price\nLamp,7\n' };

/** Tests the list of a job's files, and the links in it. */
export function testFiles(api: Api): void {
	const { driver } = api;

	async function linkTo(plan = { files: [FILE] }): Promise<string> {
		const { data } = await api.client.files(await api.endedJob(plan));
		return data.files[0].download_url as string;
	}

	describe('Job files', () => {
		it.each(['completed', 'failed'] as const)(
			'are listed once the job has %s, with links for an hour',
			async (outcome) => {
				const files = [FILE, { filename: 'Zoë & Co.pdf', content: '%PDF-1.4' }];
				const jobId = await api.startJob({ files, outcome });

				const running = (await api.client.files(jobId)).data;
				await driver.advance(JOB_SECONDS);
				const ended = (await api.client.files(jobId)).data;

				const download_url = expect.stringContaining(`${driver.filesUrl}/files/`);
				expect(running).toEqual({ job_id: jobId, file_count: 0, files: [] });
				expect(ended).toEqual({
					job_id: jobId,
					file_count: 2,
					files: files.map(({ filename }) => ({ filename, download_url, expires_in: 3600 })),
				});
			},
		);

		it('need no key for their download', async () => {
			const { status, data, headers } = await http.get(await linkTo());

			expect([status, data]).toEqual([200, FILE.content]);
			expect(headers['content-length']).toBe(String(FILE.content.length));
		});

		it('have a head of their own', async () => {
			const { status, data, headers } = await http.head(await linkTo());

			expect([status, data]).toEqual([200, '']);
			expect(headers['content-length']).toBe(String(FILE.content.length));
		});

		it('are only read: a POST is answered with 405', async () => {
			expect((await http.post(await linkTo())).status).toBe(405);
		});

		it('cannot be downloaded after their hour', async () => {
			const link = await linkTo();

			await driver.advance(3599);
			const { status: before } = await http.get(link);
			await driver.advance(1);
			const { status: after, data } = await http.get(link);

			expect([before, after]).toEqual([200, 403]);
			expect(data).toEqual({ detail: 'This link has expired', status_code: 403 });
		});

		it.each<[string, number, (link: string) => string]>([
			['without a signature', 403, (link) => link.replace(/&signature=.*/, '')],
			[
				'with an altered signature',
				403,
				(link) => link.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
			],
			['of another file', 403, (link) => link.replace('/0?', '/1?')],
			['that lasts longer', 403, (link) => link.replace(/expires=\d/, 'expires=9')],
			['of an unknown job', 404, (link) => link.replace(/files\/[^/]+/, 'files/job_none')],
		])('cannot be downloaded by a link %s: %d', async (_label, expected, change) => {
			const files = [FILE, { filename: 'other.txt', content: 'other' }];

			const { status } = await http.get(change(await linkTo({ files })));

			expect(status).toBe(expected);
		});
	});
}

import { createHash } from 'node:crypto';

import axios from 'axios';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { FileScript } from '../../../dev/sandbox/types';
import { Client, PRO, startJob } from './client';

const MEGABYTE = 1024 * 1024;

const plain = axios.create({ proxy: false, validateStatus: () => true });

function sha256(chunks: Iterable<Buffer>): string {
	const hash = createHash('sha256');
	for (const chunk of chunks) hash.update(chunk);
	return hash.digest('hex');
}

describe('the files of a job', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	/** The list of a job that has ended with these files. */
	async function list(...files: FileScript[]) {
		const jobId = await startJob(sandbox, client, { files, durationSeconds: 0 });
		return (await client.files(jobId)).data.files as Array<{
			filename: string;
			download_url: string;
			expires_in: number;
		}>;
	}

	/** Downloads the first of them. */
	async function download(file: FileScript) {
		const [listed] = await list(file);
		return await plain.get<Buffer>(listed?.download_url ?? '', { responseType: 'arraybuffer' });
	}

	it('are none for most jobs', async () => {
		const jobId = await startJob(sandbox, client);
		await sandbox.admin.advance(8);

		const { status, data } = await client.files(jobId);

		expect(status).toBe(200);
		expect(data).toEqual({ job_id: jobId, file_count: 0, files: [] });
	});

	it('are listed once the job has ended, whatever its end', async () => {
		const files = [{ filename: 'a.txt', content: 'A' }];
		const jobId = await startJob(sandbox, client, { files, outcome: 'failed' });

		const before = (await client.files(jobId)).data;
		await sandbox.admin.advance(8);
		const after = (await client.files(jobId)).data;

		expect(before.file_count).toBe(0);
		expect(after).toMatchObject({
			file_count: 1,
			files: [{ filename: 'a.txt', expires_in: 3600 }],
		});
	});

	it('lie at another origin, where no key is asked for', async () => {
		const [file] = await list({ filename: 'a.txt', content: 'A' });

		expect(new URL(file?.download_url ?? '').origin).toBe(sandbox.filesUrl);
		expect(sandbox.filesUrl).not.toBe(sandbox.url);
		expect((await plain.get(file?.download_url ?? '')).data).toBe('A');
	});

	it.each<[string, FileScript, string, string]>([
		['text', { filename: 'ä.txt', content: 'Grüße' }, 'text/plain', 'Grüße'],
		[
			'bytes',
			{ filename: 'a.bin', contentBase64: 'AAEC' },
			'application/octet-stream',
			'\0\u0001\u0002',
		],
		[
			'another type',
			{ filename: 'a.txt', content: 'x', contentType: 'image/webp' },
			'image/webp',
			'x',
		],
		['CSV', { filename: 'A.CSV', content: 'a,b' }, 'text/csv', 'a,b'],
		['nothing', { filename: 'empty' }, 'application/octet-stream', ''],
	])('are served with %s and the type', async (_label, file, type, text) => {
		const { status, headers, data } = await download(file);

		expect(status).toBe(200);
		expect(headers['content-type']).toBe(type);
		expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
		expect(data.toString()).toBe(text);
	});

	it.each([1, 7, 8, 65_535, 65_536, 65_537, MEGABYTE, 20 * MEGABYTE + 1])(
		'are generated in the wanted size, always with the same bytes: %d',
		async (sizeBytes) => {
			const { headers, data } = await download({ filename: 'big.bin', sizeBytes });

			expect(headers['content-length']).toBe(String(sizeBytes));
			expect(data.length).toBe(sizeBytes);
			expect(sha256([data])).toBe(sha256(generatedBytes(sizeBytes)));
		},
	);

	it('need no memory, however large they are', async () => {
		const sizeBytes = 300 * MEGABYTE;
		const [file] = await list({ filename: 'huge.bin', sizeBytes });
		const answer = await plain.get(file?.download_url ?? '', { responseType: 'stream' });
		const before = process.memoryUsage().rss;
		let received = 0;
		let most = 0;
		for await (const chunk of answer.data as AsyncIterable<Buffer>) {
			received += chunk.length;
			most = Math.max(most, process.memoryUsage().rss - before);
		}

		expect(received).toBe(sizeBytes);
		expect(most).toBeLessThan(200 * MEGABYTE);
	});

	it('can keep their size to themselves', async () => {
		const file = { filename: 'a.bin', sizeBytes: 100_000, withoutContentLength: true };

		const { headers, data } = await download(file);

		expect(headers['content-length']).toBeUndefined();
		expect(data.length).toBe(100_000);
	});

	it('can be asked for their head only', async () => {
		const [file] = await list({ filename: 'huge.bin', sizeBytes: 1000 * MEGABYTE });

		const { status, headers } = await plain.head(file?.download_url ?? '');

		expect([status, headers['content-length']]).toEqual([200, String(1000 * MEGABYTE)]);
	});

	it.each([
		['an hour by default', {}, 3600],
		['as long as scripted', { expiresInSeconds: 30 }, 30],
	])(
		'have links that are good for %s, then are refused with 403',
		async (_label, extra, seconds) => {
			const [file] = await list({ filename: 'a.txt', content: 'A', ...extra });
			const url = file?.download_url ?? '';

			await sandbox.admin.advance(seconds - 10);
			const before = await plain.get(url);
			await sandbox.admin.advance(10);
			const after = await plain.get(url);

			expect(file?.expires_in).toBe(seconds);
			expect([before.status, after.status]).toEqual([200, 403]);
			expect(after.data.detail).toContain('expired');
		},
	);

	it('have fresh links in a new list', async () => {
		const files = [{ filename: 'a.txt', content: 'A' }];
		const jobId = await startJob(sandbox, client, { files, durationSeconds: 0 });
		await sandbox.admin.advance(4000);

		const { data } = await client.files(jobId);

		expect((await plain.get(data.files[0].download_url)).status).toBe(200);
	});

	it.each([
		['a later expiry', (url: string) => url.replace(/expires=\d+/, 'expires=99999999999999')],
		['another signature', (url: string) => url.replace(/signature=\w/, 'signature=x')],
		['another file', (url: string) => url.replace('/0?', '/1?')],
		['no signature', (url: string) => url.replace(/&.*/, '')],
	])('are refused with 403 to a link with %s', async (_label, change) => {
		const files = await list({ filename: 'a', content: 'A' }, { filename: 'b', content: 'B' });

		const { status } = await plain.get(change(files[0]?.download_url ?? ''));

		expect(status).toBe(403);
	});

	it('are not found where there are none', async () => {
		const nowhere = await plain.get(`${sandbox.filesUrl}/files/job_none/0?expires=1&signature=x`);
		const root = await plain.get(sandbox.filesUrl);

		expect([nowhere.status, root.status]).toEqual([404, 404]);
	});

	it('are read only', async () => {
		const [file] = await list({ filename: 'a.txt', content: 'A' });

		expect((await plain.delete(file?.download_url ?? '')).status).toBe(405);
	});

	it('can have any name and any link a script wants', async () => {
		const [first, second] = await list(
			{ filename: '../../etc/passwd', content: 'A' },
			{ filename: 'b.txt', downloadUrl: 'https://elsewhere.example/b.txt' },
		);

		expect(first?.filename).toBe('../../etc/passwd');
		expect((await plain.get(first?.download_url ?? '')).data).toBe('A');
		expect(second?.download_url).toBe('https://elsewhere.example/b.txt');
	});

	it('leave their downloads in the same log, with the headers that came', async () => {
		const [file] = await list({ filename: 'a.txt', content: 'A' });
		await plain.get(file?.download_url ?? '', { headers: { Authorization: 'Bearer leaked' } });

		const [logged] = await sandbox.admin.requests({ endpoint: 'file' });

		expect(logged).toMatchObject({
			method: 'GET',
			answered: 200,
			headers: { authorization: 'Bearer [masked]' },
		});
		expect(logged?.path).toContain(logged?.jobId);
	});
});

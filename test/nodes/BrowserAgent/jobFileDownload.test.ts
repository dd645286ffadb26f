import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import type { FileScript } from '../../../dev/sandbox/types';
import { waitFor } from '../../support/waitFor';
import { steadyClock } from '../../support/steadyClock';
import { BINARY_MODES, hashOf, useBinaryData, type StoredFiles } from '../../support/useBinaryData';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { currentClock, setClock } from '../../support/testRuntime';

const service = useSandbox();
const host = useServer();

const KEY = 'sandbox-pro-key';
const MEGABYTE = 1024 * 1024;

// Slower than elsewhere, so that a busy machine is not taken for a host that has fallen silent.
beforeEach(() => setClock(steadyClock(10)));

/** A finished job with these files. */
async function givenFiles(...files: Array<FileScript | string>): Promise<string> {
	return await service.givenJob({
		statuses: ['completed'],
		files: files.map((file) =>
			typeof file === 'string' ? { filename: file, content: `This is ${file}` } : file,
		),
	});
}

function downloadRun(
	jobId: string,
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
): SandboxRun {
	return {
		resource: 'jobFile',
		operation: 'download',
		parameters: { jobId, options },
		...more,
	};
}

async function download(...run: Parameters<typeof downloadRun>) {
	return await service.run(downloadRun(...run));
}

async function spoilFiles(fault: FaultCase): Promise<void> {
	await service.admin.fault({ endpoint: 'file', ...fault });
}

/** What each file's item says: its name, or what went wrong. */
function outcomesOf(items: INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => json.filename ?? json.error);
}

/** Text of each file, by its name. */
async function textsOf(
	items: INodeExecutionData[],
	stored: StoredFiles,
): Promise<Record<string, string>> {
	const texts = await Promise.all(
		items.map(async ({ json, binary }) => [
			json.filename,
			(await stored.read(binary?.data)).toString(),
		]),
	);
	return Object.fromEntries(texts) as Record<string, string>;
}

describe.each(BINARY_MODES)('Job File: Download, with files kept in %s,', (mode) => {
	const stored = useBinaryData(mode);

	it('returns one item for each file, with the file as binary data', async () => {
		const jobId = await givenFiles('a.csv', 'b.pdf');

		const { items } = await download(jobId);

		expect(items).toEqual([
			{
				json: { job_id: jobId, filename: 'a.csv', size_bytes: 13 },
				binary: {
					data: expect.objectContaining({
						fileName: 'a.csv',
						fileExtension: 'csv',
						mimeType: 'text/csv',
						bytes: 13,
					}),
				},
				pairedItem: { item: 0 },
			},
			expect.objectContaining({
				json: { job_id: jobId, filename: 'b.pdf', size_bytes: 13 },
				pairedItem: { item: 0 },
			}),
		]);
		expect(await textsOf(items, stored)).toEqual({
			'a.csv': 'This is a.csv',
			'b.pdf': 'This is b.pdf',
		});
	});

	it('keeps files where n8n keeps them', async () => {
		const jobId = await givenFiles('a.txt');

		await download(jobId);

		// Each file has its description beside it.
		expect(stored.inFolder()).toHaveLength(mode === 'filesystem' ? 2 : 0);
	});

	it.each<[string, FileScript]>([
		['of no bytes', { filename: 'a.bin', sizeBytes: 0 }],
		['of one byte', { filename: 'a.bin', sizeBytes: 1 }],
		['of 3 MB', { filename: 'a.bin', sizeBytes: 3 * MEGABYTE + 1 }],
		[
			'of 3 MB that come in chunks',
			{ filename: 'a.bin', sizeBytes: 3 * MEGABYTE + 1, withoutContentLength: true },
		],
		['of 50 MB', { filename: 'a.bin', sizeBytes: 50 * MEGABYTE }],
	])('brings a file %s as it was', async (_label, file) => {
		const jobId = await givenFiles(file);

		const { items } = await download(jobId);

		expect(items[0]?.json.size_bytes).toBe(file.sizeBytes);
		expect(await stored.hashes(items[0])).toEqual({
			data: hashOf(generatedBytes(file.sizeBytes ?? 0)),
		});
	});

	it('brings a file as it was, although it was sent compressed', async () => {
		const content = Buffer.concat([...generatedBytes(100_000)]);
		host.answers((_arrival, response) => {
			const zipped = gzipSync(content);
			const headers = { 'Content-Encoding': 'gzip', 'Content-Length': zipped.length };
			response.writeHead(200, headers).end(zipped);
		});
		const jobId = await givenFiles({ filename: 'a.bin', downloadUrl: host.url });

		const { items } = await download(jobId);

		expect(items[0]?.json.size_bytes).toBe(100_000);
		expect(await stored.hashes(items[0])).toEqual({ data: hashOf([content]) });
	});

	it.each<[string, FaultCase]>([
		['breaks off', { kind: 'truncate' }],
		['falls silent', { kind: 'stall' }],
		['does not come', { kind: 'reset' }],
		['is not to be had for a moment', { kind: 'status', status: 503 }],
	])('fetches a file from its start again when it %s', async (_label, fault) => {
		if (fault.kind === 'stall') setClock(steadyClock(60));
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: 200_000 });
		await spoilFiles({ ...fault, times: 2 });

		const { items } = await download(jobId);

		expect(await stored.hashes(items[0])).toEqual({ data: hashOf(generatedBytes(200_000)) });
		expect(await service.requests({ endpoint: 'file' })).toHaveLength(3);
		expect(stored.inFolder()).toHaveLength(mode === 'filesystem' ? 2 : 0);
	});

	it.each<[string, FaultCase, string]>([
		['breaks off', { kind: 'truncate' }, 'it could not be downloaded: the download was incomplete'],
		['falls silent', { kind: 'stall' }, 'it could not be downloaded: the download was incomplete'],
	])('never keeps a part of a file that %s', async (_label, fault, words) => {
		setClock(steadyClock(60));
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: 200_000 });
		await spoilFiles({ ...fault, times: 'always' });

		const { error, items } = await download(jobId);

		expect(error?.message).toBe(`File 'a.bin' of job ${jobId}: ${words}`);
		expect(items).toEqual([]);
		expect(await service.requests({ endpoint: 'file' })).toHaveLength(3);
		expect(stored.inFolder()).toEqual([]);
	});

	it.each([
		['when its length is known', false],
		['on its way', true],
	])('stops a file that is too large %s', async (_label, withoutContentLength) => {
		const jobId = await givenFiles({
			filename: 'a.bin',
			sizeBytes: 3 * MEGABYTE,
			withoutContentLength,
		});

		const { error } = await download(jobId, { maxFileSizeMb: 2.5 });

		expect(error).toMatchObject({
			message: `File 'a.bin' of job ${jobId}: it is larger than the limit (over 2.5 MB)`,
			description: "Raise 'Max File Size MB', or leave the file out.",
		});
		expect(await service.requests({ endpoint: 'file' })).toHaveLength(1);
		expect(stored.inFolder()).toEqual([]);
	});

	it('has one outcome for each file with Continue On Fail, and keeps the rest', async () => {
		const jobId = await givenFiles(
			'a.txt',
			{ filename: 'large.bin', sizeBytes: 2 * MEGABYTE },
			{ filename: 'gone.pdf', downloadUrl: `${host.url}/gone` },
			'd.txt',
		);
		host.answers({ statusCode: 404 });

		const { items, status } = await download(
			jobId,
			{ maxFileSizeMb: 1 },
			{ settings: { onError: 'continueRegularOutput' } },
		);

		expect(status).toBe('success');
		expect(outcomesOf(items)).toEqual([
			'a.txt',
			`File 'large.bin' of job ${jobId}: it is larger than the limit (over 1 MB)`,
			`File 'gone.pdf' of job ${jobId}: it is not available (HTTP 404)`,
			'd.txt',
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(4).fill({ item: 0 }));
		expect((await stored.read(items[3]?.binary?.data)).toString()).toBe('This is d.txt');
	});

	it('ends within a second of a Stop, and leaves nothing half written', async () => {
		setClock();
		const jobId = await givenFiles(
			...['a', 'b', 'c', 'd', 'e'].map((filename) => ({ filename, sizeBytes: 4 * MEGABYTE })),
		);
		await spoilFiles({ kind: 'stall', times: 'always' });
		const execution = service.start(downloadRun(jobId));
		await waitFor(async () => {
			expect(await service.requests({ endpoint: 'file' })).toHaveLength(3);
			expect(stored.inFolder()).toHaveLength(mode === 'filesystem' ? 3 : 0);
		});

		const stoppedAt = performance.now();
		execution.stop();
		const run = await execution.finished;

		expect(performance.now() - stoppedAt).toBeLessThan(1_000);
		expect(run.status).toBe('canceled');
		expect(await service.requests({ endpoint: 'file' })).toHaveLength(3);
		await waitFor(() => expect(stored.inFolder()).toEqual([]), 1_000);
	});
});

describe('Job File: Download', () => {
	const stored = useBinaryData('memory');

	it('lists the files of the job whose ID comes with the item', async () => {
		const jobId = await givenFiles('a.txt');

		const { items } = await service.run({
			resource: 'jobFile',
			operation: 'download',
			input: [{ job_id: jobId }],
		});

		const [listing] = await service.requests({ endpoint: 'getJobFiles' });
		expect(listing).toMatchObject({ method: 'GET', path: `/v1/get_job_files/${jobId}` });
		expect(outcomesOf(items)).toEqual(['a.txt']);
	});

	it('returns no items for a job without files', async () => {
		const jobId = await givenFiles();

		const { items, status } = await download(jobId);

		expect(status).toBe('success');
		expect(items).toEqual([]);
	});

	it('pairs the files with the items of their jobs', async () => {
		const first = await givenFiles('a', 'b');
		const second = await givenFiles('c');

		const { items } = await service.run({
			resource: 'jobFile',
			operation: 'download',
			input: [{ job_id: first }, { job_id: second }],
		});

		expect(items.map(({ json, pairedItem }) => [json.filename, pairedItem])).toEqual([
			['a', { item: 0 }],
			['b', { item: 0 }],
			['c', { item: 1 }],
		]);
	});

	it('puts the file into the field of this name', async () => {
		const jobId = await givenFiles('a.txt');

		const { items } = await service.run({
			resource: 'jobFile',
			operation: 'download',
			parameters: { jobId, binaryPropertyName: ' attachment ' },
		});

		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['attachment']);
	});

	it('says that the field has no name, and sends nothing', async () => {
		const { error } = await service.run({
			resource: 'jobFile',
			operation: 'download',
			parameters: { jobId: 'job_1', binaryPropertyName: '={{ "" }}' },
		});

		expect(error?.message).toBe("'Put Output File in Field' is empty");
		expect(await service.requests()).toEqual([]);
	});

	it('names a job that the service does not know', async () => {
		const { error } = await download('job_gone');

		expect(error?.message).toBe('Job job_gone was not found');
	});

	it('names job and file when a file is not to be had', async () => {
		host.answers({ statusCode: 500 });
		const jobId = await givenFiles({ filename: 'a.txt', downloadUrl: host.url });

		const { error } = await download(jobId);

		expect(error).toMatchObject({
			message: `File 'a.txt' of job ${jobId}: it is not available (HTTP 500)`,
			description: expect.stringContaining("Check the job's files"),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('names job and file when the file has no link', async () => {
		const jobId = await givenFiles();
		await service.admin.fault({
			endpoint: 'getJobFiles',
			kind: 'body',
			body: { files: [{ filename: 'a.txt', download_url: null }] },
		});

		const { error } = await download(jobId);

		expect(error?.message).toBe(
			`File 'a.txt' of job ${jobId}: The file can't be downloaded: it has no link`,
		);
	});

	it('sends what it cannot do to the error output, file by file', async () => {
		host.answers({ statusCode: 404 });
		const jobId = await givenFiles('a.txt', { filename: 'gone.txt', downloadUrl: host.url });

		const { items, errorItems } = await download(
			jobId,
			{},
			{ settings: { onError: 'continueErrorOutput' } },
		);

		expect(outcomesOf(items)).toEqual(['a.txt']);
		expect(errorItems).toHaveLength(1);
	});

	describe('goes for the file', () => {
		it('to another origin without the key, or any header of ours', async () => {
			const jobId = await givenFiles('a.txt');

			await download(jobId);

			const [request] = await service.requests({ endpoint: 'file' });
			expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
				'accept',
				'accept-encoding',
				'connection',
				'host',
				'user-agent',
			]);
			expect(JSON.stringify(request)).not.toContain(KEY);
		});

		it.each([
			['in full', () => `${service.url}/v1/get_credit_balance`],
			['relative', () => '/v1/get_credit_balance'],
		])("to the base URL's own origin with the key, with a link that is %s", async (_l, link) => {
			const jobId = await givenFiles({ filename: 'balance.json', downloadUrl: link() });

			const { items } = await download(jobId);

			const [request] = await service.requests({ endpoint: 'getCreditBalance' });
			expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
			const text = (await stored.read(items[0]?.binary?.data)).toString();
			expect(JSON.parse(text)).toMatchObject({ plan: 'pro' });
		});

		it('where it is redirected, without the key even back home', async () => {
			await spoilFiles({ kind: 'redirect', location: `${service.url}/v1/get_credit_balance` });
			const jobId = await givenFiles('a.txt');

			const { error } = await download(jobId);

			const [request] = await service.requests({ endpoint: 'getCreditBalance' });
			expect(request?.headers).not.toHaveProperty('authorization');
			expect(error?.message).toBe(`File 'a.txt' of job ${jobId}: it is not available (HTTP 401)`);
		});

		it('five redirects far and not farther', async () => {
			host.answers({ statusCode: 302, headers: { Location: '/on' } });
			const jobId = await givenFiles({ filename: 'a.txt', downloadUrl: host.url });

			const { error } = await download(jobId);

			expect(error?.message).toBe(
				`File 'a.txt' of job ${jobId}: The file can't be downloaded: it redirects more than 5 times`,
			);
			expect(host.arrivals).toHaveLength(6);
		});
	});

	describe('asks for a link again', () => {
		it.each([403, 404, 410])('once, when it is answered with %i', async (statusCode) => {
			const jobId = await givenFiles('a.txt');
			await spoilFiles({ kind: 'status', status: statusCode });

			const { items } = await download(jobId);

			expect(await textsOf(items, stored)).toEqual({ 'a.txt': 'This is a.txt' });
			expect(await service.requests({ endpoint: 'getJobFiles' })).toHaveLength(2);
		});

		it('that has really expired', async () => {
			const jobId = await givenFiles({ filename: 'a.txt', content: 'A', expiresInSeconds: 30 });
			await service.admin.fault({ endpoint: 'file', kind: 'truncate' });
			let moveOn = async () => void (await service.admin.advance(60));
			const isRetrying = waitFor(async () => {
				expect(await service.requests({ endpoint: 'file' })).toHaveLength(1);
				await moveOn();
				moveOn = async () => {};
			});

			const { items } = await download(jobId);
			await isRetrying;

			expect(await textsOf(items, stored)).toEqual({ 'a.txt': 'A' });
			const requests = await service.requests({ endpoint: 'file' });
			expect(requests.map(({ answered }) => answered)).toEqual([200, 403, 200]);
		});

		it('and gives up when the new one is no better', async () => {
			const jobId = await givenFiles('a.txt');
			await spoilFiles({ kind: 'status', status: 403, times: 'always' });

			const { error } = await download(jobId);

			expect(error?.message).toContain(`File 'a.txt' of job ${jobId}: it is not available`);
			expect(await service.requests({ endpoint: 'getJobFiles' })).toHaveLength(2);
			expect(await service.requests({ endpoint: 'file' })).toHaveLength(2);
		});

		it('for each of several files of the same name, and each gets its own content', async () => {
			const jobId = await givenFiles(
				{ filename: 'a.txt', content: 'First' },
				{ filename: 'a.txt', content: 'Second' },
				{ filename: 'a.txt', content: 'Third' },
			);
			await spoilFiles({ kind: 'status', status: 403, times: 3 });

			const { items } = await download(jobId);

			expect(await textsOf(items, stored)).toEqual({
				'a.txt': 'First',
				'a (2).txt': 'Second',
				'a (3).txt': 'Third',
			});
		});
	});

	describe('names a file', () => {
		it.each([
			['as the service does', 'Über 報告.txt', 'Über 報告.txt'],
			['without folders', '../../etc/passwd', 'passwd'],
			['without folders of Windows', 'C:\\a\\b.txt', 'b.txt'],
			['without control characters', 'a\u0000\nb.txt', 'ab.txt'],
			['when it has none', '', 'file_1'],
			['when its name is a folder', '..', 'file_1'],
			['shortly', `${'a'.repeat(400)}.txt`, `${'a'.repeat(196)}.txt`],
		])('%s', async (_label, filename, expected) => {
			const jobId = await givenFiles({ filename, content: 'A' });

			const { items } = await download(jobId);

			expect(items[0]?.json.filename).toBe(expected);
			expect(items[0]?.binary?.data?.fileName).toBe(expected);
			expect(items[0]?.binary?.data).not.toHaveProperty('directory');
		});

		it('differently from the others', async () => {
			const jobId = await givenFiles('a.txt', 'b/a.txt', 'A.TXT');

			const { items } = await download(jobId);

			expect(outcomesOf(items)).toEqual(['a.txt', 'a (2).txt', 'A (3).TXT']);
		});
	});

	describe('gives a file the type', () => {
		it.each<[string, string, string | undefined, string]>([
			['of the answer', 'a.txt', 'application/pdf', 'application/pdf'],
			['of the answer, without its parameters', 'a', 'text/csv; charset=utf-8', 'text/csv'],
			['of its ending, when the answer says nothing', 'a.pdf', undefined, 'application/pdf'],
			[
				'of its ending, when the answer says bytes',
				'a.png',
				'application/octet-stream',
				'image/png',
			],
			['of its ending, when the answer is nonsense', 'a.json', 'what', 'application/json'],
			[
				'of bytes, when nothing is known',
				'a',
				'application/octet-stream',
				'application/octet-stream',
			],
			['of bytes, when nothing is said', 'a', undefined, 'application/octet-stream'],
			['of bytes, when its ending is unknown', 'a.xyzzy', undefined, 'application/octet-stream'],
			['of text, when its ending says so', 'a.txt', undefined, 'text/plain'],
		])('%s', async (_label, filename, contentType, expected) => {
			const headers: Record<string, string> =
				contentType === undefined ? {} : { 'Content-Type': contentType };
			host.answers((_arrival, response) => void response.writeHead(200, headers).end('A'));
			const jobId = await givenFiles({ filename, downloadUrl: host.url });

			const { items } = await download(jobId);

			expect(items[0]?.binary?.data?.mimeType).toBe(expected);
		});
	});

	describe('File Names', () => {
		const all = ['report.pdf', 'report-1.csv', 'report-22.csv', 'Notes.TXT', 'a+b(1).txt'];

		it.each<[string, INodeParameters['filenames'], string[]]>([
			['one name', 'report.pdf', ['report.pdf']],
			['several names', 'report.pdf, report-1.csv', ['report.pdf', 'report-1.csv']],
			['stars', '*.csv', ['report-1.csv', 'report-22.csv']],
			['question marks', 'report-?.csv', ['report-1.csv']],
			['small letters for large ones', '*.txt', ['Notes.TXT', 'a+b(1).txt']],
			['signs that are letters here', 'a+b(1).txt', ['a+b(1).txt']],
			['a part of a name only', 'report', []],
			['nothing', '', all],
			['commas only', ' , ', all],
		])('may be %s', async (_label, filenames, expected) => {
			const jobId = await givenFiles(...all);

			const { items } = await download(jobId, { filenames });

			expect(outcomesOf(items)).toEqual(expected);
			expect(await service.requests({ endpoint: 'file' })).toHaveLength(expected.length);
		});

		it('take no time to speak of, however many stars they have', async () => {
			const jobId = await givenFiles('a'.repeat(150));
			const began = performance.now();

			const { items } = await download(jobId, { filenames: `${'*a'.repeat(30)}*b` });

			expect(items).toEqual([]);
			expect(performance.now() - began).toBeLessThan(3_000);
		});
	});

	describe('Max File Size MB', () => {
		it('lets a file of just that size through', async () => {
			const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: MEGABYTE });

			const { items } = await download(jobId, { maxFileSizeMb: 1 });

			expect(items[0]?.json.size_bytes).toBe(MEGABYTE);
		});

		it('can be text, as from an expression', async () => {
			const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: MEGABYTE + 1 });

			const { error } = await download(jobId, { maxFileSizeMb: '={{ "1" }}' });

			expect(error?.message).toContain('it is larger than the limit');
		});

		it.each<[string, string | number, string]>([
			['nothing', 0, "'Max File Size MB' must be greater than 0 (got 0)"],
			['less', -1, "'Max File Size MB' must be greater than 0 (got -1)"],
			['no number', '={{ "much" }}', "'Max File Size MB' is not a number: 'much'"],
			['empty', '={{ "" }}', "'Max File Size MB' is empty"],
		])('is refused before anything is sent when it is %s', async (_label, limit, message) => {
			const { error } = await download('job_1', { maxFileSizeMb: limit });

			expect(error?.message).toBe(message);
			expect(await service.requests()).toEqual([]);
		});
	});

	it('fetches several files at a time, and not more than three', async () => {
		const open: ServerResponse[] = [];
		let most = 0;
		host.answers((_arrival, response) => {
			open.push(response);
			most = Math.max(most, open.length);
		});
		const jobId = await givenFiles(
			...Array.from({ length: 8 }, (_, index) => ({
				filename: `${index}.txt`,
				downloadUrl: `${host.url}/${index}`,
			})),
		);

		const downloading = download(jobId);
		for (let answered = 0; answered < 8; answered++) {
			const together = Math.min(3, 8 - answered);
			await waitFor(() => expect(open).toHaveLength(together));
			open.shift()?.end('A');
		}
		const { items } = await downloading;

		expect(most).toBe(3);
		expect(outcomesOf(items)).toEqual(Array.from({ length: 8 }, (_, index) => `${index}.txt`));
	});

	it('does not wait for a host for longer than it is worth', async () => {
		host.answers({ statusCode: 503, headers: { 'Retry-After': '86400' } });
		const jobId = await givenFiles({ filename: 'a.txt', downloadUrl: host.url });
		const began = currentClock().now();

		const { error } = await download(jobId);

		expect(error?.message).toBe(`File 'a.txt' of job ${jobId}: it is not available (HTTP 503)`);
		expect(currentClock().now() - began).toBeLessThan(60_000);
	});
});

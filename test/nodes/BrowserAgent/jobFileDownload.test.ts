import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import type { FileScript } from '../../../dev/sandbox/types';
import { hintsIn } from '../../support/hintsIn';
import { CONTINUE, toResult } from '../../support/runNode';
import { BINARY_MODES, hashOf, useBinaryData } from '../../support/useBinaryData';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();
const host = useServer();
const { clock } = service;

const KEY = 'sandbox-pro-key';
const MEGABYTE = 1024 * 1024;

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
	const parameters = { jobId, options };
	return { resource: 'jobFile', operation: 'download', parameters, ...more };
}

async function download(...run: Parameters<typeof downloadRun>) {
	return await service.run(downloadRun(...run));
}

/** The file name of each item, or its error. */
function outcomesOf(items: INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => json.filename ?? json.error);
}

describe.each(BINARY_MODES)('Job File: Download, with binary data in %s,', (mode) => {
	const stored = useBinaryData(mode);
	const isInFolder = mode === 'filesystem';

	it('returns one item for each file, with the file as binary data', async () => {
		const jobId = await givenFiles('a.csv', 'b.pdf');

		const { items } = await download(jobId);

		const file = { fileName: 'a.csv', fileExtension: 'csv', mimeType: 'text/csv', bytes: 13 };
		expect(items).toMatchObject([
			{
				json: { job_id: jobId, filename: 'a.csv', size_bytes: 13 },
				binary: { data: file },
				pairedItem: { item: 0 },
			},
			{ json: { job_id: jobId, filename: 'b.pdf', size_bytes: 13 }, pairedItem: { item: 0 } },
		]);
		expect((await stored.read(items[1]?.binary?.data)).toString()).toBe('This is b.pdf');
		// Each file has its metadata beside it.
		expect(stored.inFolder()).toHaveLength(isInFolder ? 4 : 0);
	});

	it.each<[string, number, boolean]>([
		['of no bytes', 0, false],
		['of 8 MB with Content-Length', 8 * MEGABYTE, false],
		['of 8 MB in chunks', 8 * MEGABYTE, true],
	])('stores a file %s unchanged', async (_label, sizeBytes, withoutContentLength) => {
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes, withoutContentLength });

		const { items } = await download(jobId);

		expect(items[0]?.json.size_bytes).toBe(sizeBytes);
		expect(await stored.hashes(items[0])).toEqual({ data: hashOf(generatedBytes(sizeBytes)) });
	});

	it('downloads a file again from its start when it is truncated', async () => {
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: 200_000 });
		await service.fault('file', { kind: 'truncate', times: 2 });

		const { items } = await download(jobId);

		expect(await stored.hashes(items[0])).toEqual({ data: hashOf(generatedBytes(200_000)) });
		expect(await service.sent('file')).toHaveLength(3);
		expect(stored.inFolder()).toHaveLength(isInFolder ? 2 : 0);
	});
});

// Where parts of a file could be left over.
describe('Job File: Download, with binary data in a folder,', () => {
	const stored = useBinaryData('filesystem');

	it.each<[string, FaultCase, string, number]>([
		['is truncated three times', { kind: 'truncate' }, 'the download was incomplete', 3],
		['stalls once', { kind: 'stall' }, 'nothing arrived for a minute', 1],
	])('stores no part of a file that %s', async (_label, fault, reason, requests) => {
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: 200_000 });
		await service.fault('file', fault, { times: 'always' });

		const { error, items } = await download(jobId);

		expect(error?.message).toBe(`File 'a.bin' of job ${jobId} could not be downloaded: ${reason}`);
		expect(items).toEqual([]);
		expect(await service.sent('file')).toHaveLength(requests);
		expect(stored.inFolder()).toEqual([]);
	});

	it.each([
		['with Content-Length', false],
		['in chunks', true],
	])('stores no part of a file %s that is too large', async (_label, withoutContentLength) => {
		const sizeBytes = 3 * MEGABYTE;
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes, withoutContentLength });

		const { error } = await download(jobId, { maxFileSizeMb: 2.5 });

		expect(error).toMatchObject({
			message: `File 'a.bin' of job ${jobId} could not be downloaded: it is larger than 2.5 MB`,
			description:
				"Raise 'Max File Size (MB)', or exclude the file with 'File Names' of Job File: Download.",
		});
		expect(await service.sent('file')).toHaveLength(1);
		expect(stored.inFolder()).toEqual([]);
	});

	it('ends at once when the execution is stopped, and stores no part of a file', async () => {
		clock.hold();
		const sizeBytes = 4 * MEGABYTE;
		const files = ['a', 'b', 'c', 'd'].map((filename) => ({ filename, sizeBytes }));
		const jobId = await givenFiles(...files);
		await service.fault('file', { kind: 'stall', times: 'always' });
		const execution = service.start(downloadRun(jobId));
		await waitFor(async () => {
			expect(await service.sent('file')).toHaveLength(3);
			expect(stored.inFolder()).toHaveLength(3);
		});

		execution.stop();

		const { status } = await toResult(execution.finished);
		expect(status).toBe('canceled');
		expect(await service.sent('file')).toHaveLength(3);
		await waitFor(() => expect(stored.inFolder()).toEqual([]));
	});
});

describe('Job File: Download', () => {
	const stored = useBinaryData('memory');

	/** The text of each file, by its name. */
	async function textsOf(items: INodeExecutionData[]): Promise<Record<string, string>> {
		const texts: Record<string, string> = {};
		for (const { json, binary } of items) {
			texts[String(json.filename)] = (await stored.read(binary?.data)).toString();
		}
		return texts;
	}

	it('returns no items for a job without files, and says so in a hint', async () => {
		const { items, status, task } = await download(await givenFiles());

		expect(status).toBe('success');
		expect(items).toEqual([]);
		expect(hintsIn(task)).toEqual(['The service lists no files for this job']);
	});

	it('says in a hint that no file matches File Names', async () => {
		const { items, task } = await download(await givenFiles('', 'a.csv'), { filenames: '*.pdf' });

		expect(items).toEqual([]);
		expect(await service.sent('file')).toEqual([]);
		expect(hintsIn(task)).toEqual(["None of the job's files matches 'File Names'"]);
	});

	it('says in a hint what to set when several items name the same job', async () => {
		const jobId = await givenFiles('a', 'b');
		const input = [{ filename: 'a' }, { filename: 'b' }];

		const { items, task } = await download(jobId, {}, { input });

		expect(outcomesOf(items)).toEqual(['a', 'b', 'a', 'b']);
		expect(hintsIn(task)).toEqual([
			expect.stringContaining("set 'File Names' to the expression {{ [$json.filename] }}"),
		]);
	});

	it('downloads each file once when File Names is the name in each item of Get Many', async () => {
		const filenames = ['a', 'invoices/2026.pdf', 'Q1, final.csv', '.env'];
		const jobId = await givenFiles(...filenames);
		const input = filenames.map((filename) => ({ filename }));

		const { items, task } = await download(
			jobId,
			{ filenames: '={{ [$json.filename] }}' },
			{ input },
		);

		expect(outcomesOf(items)).toEqual(['a', '2026.pdf', 'Q1, final.csv', 'env']);
		expect(hintsIn(task)).toEqual([]);
	});

	it("puts the file into the field of 'Put Output File in Field'", async () => {
		const jobId = await givenFiles('a.txt');
		const parameters = { jobId, binaryPropertyName: ' attachment ' };

		const { items } = await download(jobId, {}, { parameters });

		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['attachment']);
	});

	it('returns an error for each failed file beside the others with Continue On Fail', async () => {
		host.answers({ statusCode: 404 });
		const jobId = await givenFiles(
			'a.txt',
			{ filename: 'large.bin', sizeBytes: 2 * MEGABYTE },
			{ filename: 'gone.pdf', downloadUrl: host.url },
			'd.txt',
		);

		const { items } = await download(jobId, { maxFileSizeMb: 1 }, { settings: CONTINUE });

		expect(outcomesOf(items)).toEqual([
			'a.txt',
			`File 'large.bin' of job ${jobId} could not be downloaded: it is larger than 1 MB`,
			`File 'gone.pdf' of job ${jobId} could not be downloaded: HTTP 404`,
			'd.txt',
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(4).fill({ item: 0 }));
		expect((await stored.read(items[3]?.binary?.data)).toString()).toBe('This is d.txt');
	});

	it('sends neither the key nor any header of ours to another origin', async () => {
		await download(await givenFiles('a.txt'));

		const [request] = await service.sent('file');
		expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
			'accept',
			'accept-encoding',
			'connection',
			'host',
			'user-agent',
		]);
		expect(JSON.stringify(request)).not.toContain(KEY);
		// Uncompressed, so that Content-Length is the size of the file.
		expect(request?.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity' });
	});

	it('lists the files once more for all files whose links have expired', async () => {
		const files = Array.from({ length: 6 }, (_, index) => ({
			filename: `${index}.txt`,
			content: 'A',
			expiresInSeconds: 30,
		}));
		const jobId = await givenFiles(...files);
		const slowly = { kind: 'delay', delaySeconds: 20 } as const;
		await service.fault('file', 503, { headers: { 'Retry-After': '40' }, times: 3 });
		await service.fault('file', slowly, { skip: 6, times: 3 });

		const { items } = await download(jobId);

		expect(items).toHaveLength(6);
		expect(await service.sent('getJobFiles')).toHaveLength(2);
		// Two failed requests and a successful one for each of the first three files.
		expect(await service.sent('file')).toHaveLength(3 * 3 + 3);
	});

	it('fails at a web page that arrives in place of another file', async () => {
		const page = { contentType: 'text/html', content: '<p>Sign in</p>' };
		const jobId = await givenFiles({ filename: 'page.html.pdf', ...page });

		const { error, items } = await download(jobId);

		expect(error?.message).toBe(
			`File 'page.html.pdf' of job ${jobId} could not be downloaded: its link leads to a web page`,
		);
		expect(items).toEqual([]);
		expect(await service.sent('file')).toHaveLength(1);
	});

	it.each(['a.pdf', 'a.png', 'a.jpg', 'a.zip', 'a.xlsx', 'a.docx', 'A.CSV', 'a.json'])(
		'fails at a web page in place of a file that is certainly another one: %s',
		async (filename) => {
			const page = { contentType: 'text/html', content: '<p>Sign in</p>' };

			const { error } = await download(await givenFiles({ filename, ...page }));

			expect(error?.message).toContain('its link leads to a web page');
		},
	);

	const PAGE = {
		statusCode: 200,
		headers: { 'Content-Type': 'text/html' },
		body: '<p>Sign in</p>',
	};

	it('fails at a web page to which the link was redirected', async () => {
		host.answers(({ path }, response) => {
			if (path === '/login') response.writeHead(200, PAGE.headers).end(PAGE.body);
			else response.writeHead(302, { Location: '/login' }).end();
		});
		const jobId = await givenFiles({ filename: 'report.php', downloadUrl: `${host.url}/report` });

		const { error } = await download(jobId);

		expect(error?.message).toContain('its link leads to a web page');
	});

	it("fails at a web page behind one of the service's own links", async () => {
		host.answers(({ path }, response) => {
			if (path.startsWith('/files')) response.writeHead(200, PAGE.headers).end(PAGE.body);
			else response.end(JSON.stringify({ files: [{ filename: 'a', download_url: '/files/a' }] }));
		});

		const { error } = await download('job_1', {}, { baseUrl: host.url });

		expect(error?.message).toContain('its link leads to a web page');
	});

	it.each(['PAGE.HTM', 'page.xhtml', 'export.xls', 'report.php', 'page'])(
		'stores a web page that the job has downloaded: %s',
		async (filename) => {
			const jobId = await givenFiles({ filename, contentType: 'text/html', content: '<p>Hi</p>' });

			const { items } = await download(jobId);

			expect(await textsOf(items)).toEqual({ [filename]: '<p>Hi</p>' });
		},
	);

	it('tells files of the same name apart when links have expired', async () => {
		const contents = ['First', 'Second', 'Third'];
		const files = contents.map((content) => ({ filename: 'a.txt', content }));
		const jobId = await givenFiles(...files);
		await service.fault('file', 403, { times: 3 });

		const { items } = await download(jobId);

		expect(await textsOf(items)).toEqual({
			'a.txt': 'First',
			'a (2).txt': 'Second',
			'a (3).txt': 'Third',
		});
	});

	// All rules are tested with `FILE_OPTIONS`.
	it('downloads only the files with these safe names', async () => {
		const jobId = await givenFiles('', 'a.csv', { filename: 'dir/a.csv', content: 'A' });

		const { items } = await download(jobId, { filenames: 'file_1, a (2).CSV' });

		expect(outcomesOf(items)).toEqual(['file_1', 'a (2).csv']);
		expect(await service.sent('file')).toHaveLength(2);
	});

	it('stores a file of exactly Max File Size (MB)', async () => {
		const jobId = await givenFiles({ filename: 'a.bin', sizeBytes: MEGABYTE });

		const { items } = await download(jobId, { maxFileSizeMb: 1 });

		expect(items[0]?.json.size_bytes).toBe(MEGABYTE);
	});
});

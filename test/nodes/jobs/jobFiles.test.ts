import { ServiceError } from '../../../nodes/errors/ServiceError';
import { downloadJobFiles, type FileDownload } from '../../../nodes/jobs/jobFiles';
import type { DownloadOptions, ReadFile } from '../../../nodes/service/download';
import type { ByteStream } from '../../../nodes/service/httpResponse';
import type { ListedFile, ServiceClient } from '../../../nodes/service/ServiceClient';
import type { JobFile } from '../../../nodes/service/types';
import { fakeClock } from '../../support/fakeClock';

const STREAM = {} as ByteStream;

/** A service with these files; each takes a second, or as long as is given, and has 10 bytes. */
function setUp(files: JobFile[], secondsOf: Record<string, number> = {}, failing: string[] = []) {
	const clock = fakeClock();
	let atOnce = 0;
	let mostAtOnce = 0;
	const client = {
		getJobFiles: jest.fn(async () => files),
		fetchFile: jest.fn(
			async <T>({ file }: ListedFile, read: ReadFile<T>, _options?: DownloadOptions) => {
				const name = file.filename ?? '';
				mostAtOnce = Math.max(mostAtOnce, ++atOnce);
				await clock.sleep((secondsOf[name] ?? 1) * 1_000);
				atOnce--;
				if (failing.includes(name)) throw new ServiceError({ kind: 'timeout' });
				return { result: await read(STREAM, 'text/csv'), receivedBytes: 10 };
			},
		),
	};
	const download = async (options: Partial<FileDownload<string>> = {}) =>
		await downloadJobFiles(client as unknown as ServiceClient, 'job_1', {
			store: async (_stream, filename) => `stored ${filename}`,
			...options,
		});
	return { client, download, mostAtOnce: () => mostAtOnce };
}

const named = (...names: string[]): JobFile[] => names.map((filename) => ({ filename }));

describe('downloadJobFiles', () => {
	it("returns one result for each file, in the service's order", async () => {
		const { download } = setUp(named('slow.csv', 'quick.csv'), { 'slow.csv': 5 });

		expect(await download()).toEqual([
			{ filename: 'slow.csv', sizeBytes: 10, stored: 'stored slow.csv' },
			{ filename: 'quick.csv', sizeBytes: 10, stored: 'stored quick.csv' },
		]);
	});

	it('returns nothing for a job without files', async () => {
		const { download, client } = setUp([]);

		expect(await download()).toEqual([]);
		expect(client.fetchFile).not.toHaveBeenCalled();
	});

	it('stores a file under its safe name, with the type that the service has named', async () => {
		const { download } = setUp(named('../a.csv', 'b/a.csv'));
		const store = jest.fn(async () => 'stored');

		const results = await download({ store });

		expect(store.mock.calls).toEqual([
			[STREAM, 'a.csv', 'text/csv'],
			[STREAM, 'a (2).csv', 'text/csv'],
		]);
		expect(results.map(({ filename }) => filename)).toEqual(['a.csv', 'a (2).csv']);
	});

	it("lists and downloads with the caller's limits", async () => {
		const { download, client } = setUp(named('a.csv', 'b.csv'));
		const { signal } = new AbortController();

		await download({ signal, maxBytes: 99, isWanted: (name) => name === 'b.csv' });

		expect(client.getJobFiles.mock.calls).toEqual([['job_1', { signal, retry: true }]]);
		expect(client.fetchFile.mock.calls).toEqual([
			[
				{ jobId: 'job_1', file: { filename: 'b.csv' }, position: 1, filename: 'b.csv' },
				expect.any(Function),
				{ maxBytes: 99, signal },
			],
		]);
	});

	it.each([
		['its safe name', 'a (2).csv', ['a (2).csv']],
		["the service's own name", 'dir/a.csv', ['a (2).csv']],
		['no name', 'other.csv', []],
	])('chooses a file by %s', async (_label, wanted, chosen) => {
		const { download } = setUp(named('a.csv', 'dir/a.csv'));

		const results = await download({ isWanted: (name) => name === wanted });

		expect(results.map(({ filename }) => filename)).toEqual(chosen);
	});

	it('chooses a file without a name by its safe name', async () => {
		const { download } = setUp([{ download_url: '/files/1' }]);

		const results = await download({ isWanted: (name) => name === 'file_1' });

		expect(results.map(({ filename }) => filename)).toEqual(['file_1']);
	});

	it('downloads three files at a time', async () => {
		const { download, mostAtOnce } = setUp(named('1', '2', '3', '4', '5', '6', '7'));

		const results = await download();

		expect(results).toHaveLength(7);
		expect(mostAtOnce()).toBe(3);
	});

	it('returns the error of one file beside the others', async () => {
		const { download } = setUp(named('a.csv', 'b.csv', 'c.csv'), {}, ['b.csv']);

		const results = await download();

		expect(results).toEqual([
			{ filename: 'a.csv', sizeBytes: 10, stored: 'stored a.csv' },
			{ filename: 'b.csv', error: new ServiceError({ kind: 'timeout' }) },
			{ filename: 'c.csv', sizeBytes: 10, stored: 'stored c.csv' },
		]);
	});

	it('throws when the files cannot be listed', async () => {
		const { download, client } = setUp([]);
		const error = new ServiceError({ kind: 'notFound' });
		client.getJobFiles.mockRejectedValue(error);

		await expect(download()).rejects.toBe(error);
	});
});

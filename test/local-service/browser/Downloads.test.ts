import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Download } from 'playwright-core';

import { type DownloadLimits, Downloads } from '../../../local-service/browser/Downloads';

const LIMITS = { maxFileBytes: 100, maxBytes: 250, maxFiles: 3, maxFinishMs: 60_000 };

/** A download that sends a little from time to time. */
function endless(cancel = async () => {}): Download {
	return {
		suggestedFilename: () => 'endless',
		failure: async () => await new Promise(() => {}),
		cancel,
	} as unknown as Download;
}

/** The job's folder and the browser's, with downloads that have arrived in the latter. */
function prepare(limits: Partial<DownloadLimits> = {}) {
	const root = mkdtempSync(path.join(tmpdir(), 'downloads-'));
	const [folder, incoming] = [path.join(root, 'job'), path.join(root, 'browser')];
	for (const one of [folder, incoming]) mkdirSync(one);

	const notices: string[] = [];
	const source = { folder: incoming, cancel: async () => {} };
	const downloads = new Downloads(folder, source, { ...LIMITS, ...limits }, (notice) =>
		notices.push(notice),
	);
	const arrive = (name: string, bytes: number) => {
		const file = path.join(incoming, randomUUID());
		writeFileSync(file, 'x'.repeat(bytes));
		downloads.begin({
			suggestedFilename: () => name,
			failure: async () => null,
			path: async () => file,
			cancel: async () => {},
		} as unknown as Download);
	};
	const finish = async () => await downloads.finish(new AbortController().signal);
	return { downloads, notices, arrive, finish, folder, incoming };
}

describe("A job's downloads", () => {
	it('are moved into its folder, under names of their own', async () => {
		const { downloads, notices, arrive, finish, folder, incoming } = prepare();
		arrive('a.pdf', 10);
		arrive('a.pdf', 20);
		await finish();

		expect(downloads.files.map(({ filename }) => filename)).toEqual(['a.pdf', 'a.pdf']);
		expect(downloads.files.every((file) => existsSync(file.path))).toBe(true);
		expect(readdirSync(folder)).toHaveLength(2);
		expect(readdirSync(folder)).not.toContain('a.pdf');
		expect(readdirSync(incoming)).toEqual([]);
		expect(notices).toContain("Downloaded 'a.pdf' (20 bytes)");
	});

	it('leave out a file above the limit', async () => {
		const { downloads, notices, arrive, finish, incoming } = prepare({ maxFileBytes: 2 ** 20 });
		arrive('big.bin', 2 ** 20 + 1);
		await finish();

		expect(downloads.files).toEqual([]);
		expect(readdirSync(incoming)).toEqual([]);
		expect(notices).toEqual(["Not downloaded: 'big.bin' (more than 1 MB)"]);
	});

	it('leave out what is above the limit of all together', async () => {
		const { downloads, arrive, finish } = prepare();
		for (const name of ['a', 'b', 'c']) {
			arrive(name, 90);
			await finish();
		}

		expect(downloads.files.map(({ filename }) => filename)).toEqual(['a', 'b']);
	});

	it('leave out a file above the number of them', async () => {
		const { downloads, notices, arrive, finish } = prepare();
		for (const name of ['a', 'b', 'c', 'd']) arrive(name, 1);
		await finish();

		expect(downloads.files).toHaveLength(3);
		expect(notices).toContain("Not downloaded: 'd' is above 3 files for a job");
	});

	it('are waited for until the job ends', async () => {
		const { downloads } = prepare();
		downloads.begin(endless());
		const ending = AbortSignal.abort(new Error('The job has ended'));

		await expect(downloads.finish(ending)).rejects.toThrow('The job has ended');
		downloads.stop();
	});

	it('are stopped when they take too long after the end of the agent', async () => {
		const { downloads, notices, arrive, finish } = prepare({ maxFinishMs: 50 });
		const cancel = jest.fn(async () => {});
		arrive('a.pdf', 10);
		downloads.begin(endless(cancel));
		await finish();

		expect(downloads.files.map(({ filename }) => filename)).toEqual(['a.pdf']);
		expect(cancel).toHaveBeenCalled();
		expect(notices).toContain('Not downloaded: what had not arrived when the job was over');
	});
});

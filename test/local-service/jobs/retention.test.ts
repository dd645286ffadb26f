import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { folderBytes, jobsToRemove } from '../../../local-service/jobs/retention';
import { useTemporaryFolder } from '../support/temporaryData';

const DAY_MS = 24 * 60 * 60_000;
const NOW = 100 * DAY_MS;

const ended = (id: string, daysAgo: number, bytes = 0) => ({
	id,
	endedAt: NOW - daysAgo * DAY_MS,
	bytes,
});
const unended = (id: string, bytes = 0) => ({ id, endedAt: undefined, bytes });

function removed(jobs: Parameters<typeof jobsToRemove>[0], maxBytes = 100, otherBytes = 0) {
	return jobsToRemove(jobs, { now: NOW, otherBytes, maxBytes });
}

describe('retention', () => {
	const temporaryFolder = useTemporaryFolder();

	it('removes jobs that ended more than seven days ago', () => {
		expect(removed([ended('new', 6.9), ended('old', 7.1), ended('older', 8)])).toEqual([
			'older',
			'old',
		]);
	});

	it('keeps 1,000 jobs, those that have not ended among them', () => {
		const jobs = Array.from({ length: 999 }, (_, index) => ended(`job ${index}`, 1 + index / 1000));
		expect(removed([unended('one'), ...jobs])).toEqual([]);
		expect(removed([unended('one'), unended('two'), ...jobs])).toEqual(['job 998']);
	});

	it('removes the oldest ended jobs until the rest is small enough', () => {
		const jobs = [ended('c', 1, 50), ended('a', 3, 40), ended('b', 2, 40), unended('d', 30)];
		expect(removed(jobs)).toEqual(['a', 'b']);
		expect(removed(jobs, 100, 10)).toEqual(['a', 'b']);
		expect(removed(jobs, 100, 21)).toEqual(['a', 'b', 'c']);
	});

	it('keeps what ended within the last hour, since nobody may have read it yet', () => {
		expect(removed([ended('a', 1 / 24, 1000), ended('b', 0.99 / 24, 1000)])).toEqual(['a']);
	});

	it('never removes a job that has not ended', () => {
		expect(removed([unended('a', 1000)])).toEqual([]);
	});

	it('measures all files of a folder, but follows no links out of it', async () => {
		const folder = temporaryFolder();
		mkdirSync(path.join(folder, 'a', 'b'), { recursive: true });
		writeFileSync(path.join(folder, 'one'), 'x'.repeat(10));
		writeFileSync(path.join(folder, 'a', 'b', 'two'), 'x'.repeat(5));
		symlinkSync('/usr', path.join(folder, 'a', 'link'));
		expect(await folderBytes(folder)).toBe(15);
		expect(await folderBytes(path.join(folder, 'missing'))).toBe(0);
	});
});

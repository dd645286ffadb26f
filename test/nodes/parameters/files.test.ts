import { readFileOptions } from '../../../nodes/parameters/files';
import { parameterContext } from '../../support/parameterContext';

function readOptions(options: Record<string, unknown>) {
	return readFileOptions(parameterContext({ options }), 0);
}

describe("'File Names'", () => {
	it.each<[unknown, string, boolean]>([
		['report.pdf', 'report.pdf', true],
		['report.pdf', 'report.pdf.exe', false],
		['report.pdf', 'my report.pdf', false],
		['report.pdf', 'report_pdf', false],
		['REPORT.pdf', 'report.PDF', true],
		['a.txt, b.txt', 'b.txt', true],
		['a.txt,,b.txt', '', false],
		[['a.txt', ' b.txt '], 'b.txt', true],
		[['a,b.txt'], 'a,b.txt', true],
		[['*.csv', 7], '7', true],
		[7, '7', true],
		['*', 'any.thing', true],
		['*', '', true],
		['*.pdf', 'a.pdf', true],
		['*.pdf', '.pdf', true],
		['*.pdf', 'a.pdf.txt', false],
		['report-*.csv', 'report-2026-01.csv', true],
		['report-*.csv', 'report-.csv', true],
		['report-*.csv', 'report.csv', false],
		['a*b*c', 'a-b-b-c', true],
		['a*b*c', 'a-c-b', false],
		['*ab', 'aab', true],
		['*aab*', 'aaab', true],
		['a**', 'a', true],
		['report-?.csv', 'report-1.csv', true],
		['report-?.csv', 'report-.csv', false],
		['report-?.csv', 'report-10.csv', false],
		['?', '😀', true],
		['??', '😀', false],
		['*?', 'a', true],
		['*?', '', false],
		['a?', 'a', false],
		['[ab].txt', '[ab].txt', true],
		['[ab].txt', 'a.txt', false],
		['報告*', '報告書.pdf', true],
	])('set to %p: is %p wanted? %p', (filenames, filename, isWanted) => {
		expect(readOptions({ filenames }).isWanted?.(filename)).toBe(isWanted);
	});

	it.each<[string, Record<string, unknown>]>([
		['unset', {}],
		['empty', { filenames: '' }],
		['separators only', { filenames: ' , ' }],
		['an empty array', { filenames: [] }],
		['null', { filenames: null }],
	])('wants all files when it is %s', (_label, options) => {
		expect(readOptions(options).isWanted).toBeUndefined();
	});

	it('rejects a name by a pattern of many stars, however long both are', () => {
		const { isWanted } = readOptions({ filenames: '*a'.repeat(50) + 'b' });

		expect(isWanted?.('a'.repeat(5_000))).toBe(false);
	});
});

describe("'Max File Size (MB)'", () => {
	it.each<[unknown, number]>([
		[100, 104_857_600],
		['0.5', 524_288],
		[0.0000015, 1],
	])('set to %p is a limit of %i bytes', (maxFileSizeMb, maxBytes) => {
		expect(readOptions({ maxFileSizeMb }).maxBytes).toBe(maxBytes);
	});

	it('is 1,024 MB when it is unset', () => {
		expect(readOptions({}).maxBytes).toBe(1024 * 1024 * 1024);
	});

	it('rejects 0', () => {
		expect(() => readOptions({ maxFileSizeMb: 0 })).toThrow(
			"'Max File Size (MB)' must be greater than 0 (got 0)",
		);
	});
});

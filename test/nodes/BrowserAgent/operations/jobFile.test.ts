import { readFileOptions } from '../../../../nodes/BrowserAgent/operations/jobFile';
import { parameterContext } from '../../../support/parameterContext';

function readOptions(options: Record<string, unknown>) {
	return readFileOptions(parameterContext({ options }), 0);
}

describe("'File Names'", () => {
	it.each<[unknown, string, boolean]>([
		['report.pdf', 'report.pdf', true],
		['report.pdf', 'report.pdf.exe', false],
		['report.pdf', 'report_pdf', false],
		['REPORT.pdf', 'report.PDF', true],
		['a.txt, b.txt', 'b.txt', true],
		[['a.txt', ' b.txt '], 'b.txt', true],
		[['a,b.txt'], 'a,b.txt', true],
		[['a,b.txt'], 'a', false],
		['["a,b.txt", "*.csv"]', 'a,b.txt', true],
		[['*.csv', 7], '7', true],
		[['*.csv'], '*.csv', true],
		[['*.csv'], 'a.csv', false],
		[['a.txt'], 'a.TXT', false],
		[['é.txt'], 'e\u0301.txt', true],
		[[], 'a.txt', false],
		['?.txt', 'e\u0301.txt', true],
		[7, '7', true],
		['*', 'any.thing', true],
		['*.pdf', 'a.pdf', true],
		['*.pdf', 'a.pdf.txt', false],
		['report-*.csv', 'report-2026-01.csv', true],
		['report-*.csv', 'report.csv', false],
		['a*b*c', 'a-b-b-c', true],
		['a*b*c', 'a-c-b', false],
		['*aab*', 'aaab', true],
		['report-?.csv', 'report-.csv', false],
		['?', '😀', true],
		['??', '😀', false],
		['*?', '', false],
		['[ab].txt', '[ab].txt', true],
		['[ab].txt', 'a.txt', false],
	])('set to %p: is %p wanted? %p', (filenames, filename, isWanted) => {
		expect(readOptions({ filenames }).isWanted?.(filename)).toBe(isWanted);
	});

	it.each<[string, Record<string, unknown>]>([
		['unset', {}],
		['empty', { filenames: '' }],
		['separators only', { filenames: ' , ' }],
	])('wants all files when it is %s', (_label, options) => {
		expect(readOptions(options).isWanted).toBeUndefined();
	});

	it.each([{}, { filename: 'a.txt' }, '[{"filename": "a.txt"}]', '[""]'])(
		'rejects %p, which names no file',
		(filenames) => {
			expect(() => readOptions({ filenames })).toThrow(/^'File Names'.* is not a file name$/);
		},
	);

	it.each([undefined, null])('rejects %p, which an expression can give', (filenames) => {
		expect(() => readOptions({ filenames })).toThrow(
			expect.objectContaining({
				message: "'File Names' is empty",
				details: {
					description:
						"Fill in 'File Names'. If it is an expression, check its value for this item.",
				},
			}) as Error,
		);
	});

	it.each<[unknown]>([
		[undefined],
		[null],
		[''],
		[' '],
		[{ filename: 'a.txt' }],
		[['a.txt']],
		[true],
	])('rejects a list with the entry %j', (entry) => {
		expect(() => readOptions({ filenames: ['a.txt', entry] })).toThrow(
			"'File Names': entry 2 is not a file name",
		);
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

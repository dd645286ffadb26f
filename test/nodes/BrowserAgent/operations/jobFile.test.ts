import { FILE_OPTIONS } from '../../../../nodes/BrowserAgent/operations/jobFile';
import { optionsField, toBytes } from '../../../../nodes/parameters/options';
import { valuesIn } from '../../../support/parameterContext';

function readOptions(options: Record<string, unknown>) {
	return { ...valuesIn({ options }, { options: optionsField(FILE_OPTIONS) }).options };
}

describe("'File Names'", () => {
	it.each<[unknown, string, boolean]>([
		['report.pdf', 'report.pdf.exe', false],
		['REPORT.pdf', 'report.PDF', true],
		['a.txt, b.txt', 'b.txt', true],
		[['a.txt', ' b.txt '], 'b.txt', true],
		[['a,b.txt'], 'a,b.txt', true],
		['["a,b.txt", "*.csv"]', 'a,b.txt', true],
		[['*.csv', 7], '7', true],
		[['*.csv'], 'a.csv', false],
		[['a.txt'], 'a.TXT', false],
		[['é.txt'], 'e\u0301.txt', true],
		[[], 'a.txt', false],
		['?.txt', 'e\u0301.txt', true],
		[7, '7', true],
		['*.pdf', 'a.pdf.txt', false],
		['report-*.csv', 'report-2026-01.csv', true],
		['report-*.csv', 'report.csv', false],
		['a*b*c', 'a-c-b', false],
		['*aab*', 'aaab', true],
		['report-?.csv', 'report-.csv', false],
		['?', '😀', true],
		['*?', '', false],
		['[ab].txt', 'a.txt', false],
	])('set to %p: is %p wanted? %p', (filenames, filename, isWanted) => {
		expect(readOptions({ filenames }).filenames?.(filename)).toBe(isWanted);
	});

	it.each<[string, Record<string, unknown>]>([
		['unset', {}],
		['separators only', { filenames: ' , ' }],
	])('wants all files when it is %s', (_label, options) => {
		expect(readOptions(options).filenames).toBeUndefined();
	});

	it.each([{ filename: 'a.txt' }, '[{"filename": "a.txt"}]'])(
		'rejects %p, which names no file',
		(filenames) => {
			expect(() => readOptions({ filenames })).toThrow(/^'File Names'.* is not a file name$/);
		},
	);

	it.each([undefined, null])('rejects %p, which an expression can give', (filenames) => {
		expect(() => readOptions({ filenames })).toThrow("'File Names' is empty");
	});

	it.each([[undefined], [' '], [['a.txt']]])('rejects a list with the entry %j', (entry) => {
		expect(() => readOptions({ filenames: ['a.txt', entry] })).toThrow(
			"'File Names': entry 2 is not a file name",
		);
	});

	it('rejects a name by a pattern of many stars, however long both are', () => {
		const { filenames: isWanted } = readOptions({ filenames: '*a'.repeat(50) + 'b' });

		expect(isWanted?.('a'.repeat(5_000))).toBe(false);
	});
});

describe("'Max File Size (MB)'", () => {
	it('is a limit of whole bytes', () => {
		expect(toBytes(readOptions({ maxFileSizeMb: 0.0000015 }).maxFileSizeMb)).toBe(1);
	});

	it('is 1,024 MB when it is unset', () => {
		expect(toBytes(readOptions({}).maxFileSizeMb)).toBe(1024 * 1024 * 1024);
	});
});

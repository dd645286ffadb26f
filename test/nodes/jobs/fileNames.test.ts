import fc from 'fast-check';
import path from 'node:path';

import { toSafeFileNames } from '../../../nodes/jobs/fileNames';

/** The safe name of a job's only file. */
function safe(name: string | undefined): string {
	return toSafeFileNames([name])[0] ?? '';
}

describe('toSafeFileNames', () => {
	it.each([
		['plain', 'report.pdf'],
		['with spaces', 'my report (final).pdf'],
		['without an ending', 'README'],
		['with several endings', 'backup.tar.gz'],
		['in Chinese', '報告書.pdf'],
		['in Arabic', 'تقرير.pdf'],
		['with marks', 'Über größe.txt'],
		['with an emoji', '🎉.png'],
		['with signs', "a&b=c+d'e#f%20.txt"],
	])('keeps a name %s', (_label, name) => {
		expect(safe(name)).toBe(name);
	});

	it.each([
		['.env', 'env'],
		['...env', 'env'],
		['. .env', 'env'],
		['report.', 'report.'],
	])('removes leading dots only: %s', (name, expected) => {
		expect(safe(name)).toBe(expected);
	});

	it.each([
		['a folder', '/etc/passwd', 'passwd'],
		['folders that lead upwards', '../../secret.txt', 'secret.txt'],
		['a folder of Windows', 'C:\\Users\\me\\a.txt', 'a.txt'],
		['folders of both kinds', 'a/b\\c.txt', 'c.txt'],
		['a folder behind control characters', 'a\u0000/\u0001b.txt', 'b.txt'],
		['space around it', '  a.txt\t', 'a.txt'],
		['a zero byte', 'a.txt\u0000.exe', 'a.txt.exe'],
		['line breaks', 'a\r\nb.txt', 'ab.txt'],
		['other line breaks', 'a\u2028b\u2029.txt', 'ab.txt'],
		['control characters of the upper half', 'a\u0085b.txt', 'ab.txt'],
		['a delete character', 'a\u007fb.txt', 'ab.txt'],
		['a reversed reading direction', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
		['an isolated reading direction', 'a\u2066b\u2069.txt', 'ab.txt'],
		['a zero-width space', 'a\u200bb.txt', 'ab.txt'],
		['half a character', 'a\ud83db.txt', 'ab.txt'],
	])('removes %s', (_label, name, expected) => {
		expect(safe(name)).toBe(expected);
	});

	it.each([
		['unset', undefined],
		['empty', ''],
		['white space', ' \t '],
		['control characters', '\u0000\u0001'],
		['one dot', '.'],
		['two dots', '..'],
		['dots', '....'],
		['a folder', 'folder/'],
		['two dots in a folder', 'a/..'],
	])('numbers a file whose name is %s', (_label, name) => {
		expect(toSafeFileNames(['a.txt', name])).toEqual(['a.txt', 'file_2']);
	});

	it.each([
		['keeps a name of 240 bytes', `${'a'.repeat(236)}.pdf`, `${'a'.repeat(236)}.pdf`],
		['cuts a longer name before its extension', `${'a'.repeat(237)}.pdf`, `${'a'.repeat(236)}.pdf`],
		['keeps the beginning of a longer name', `b${'a'.repeat(300)}.pdf`, `b${'a'.repeat(235)}.pdf`],
		['keeps only the last of two extensions', `${'a'.repeat(300)}.tar.gz`, `${'a'.repeat(237)}.gz`],
		['cuts a name without an extension', 'a'.repeat(300), 'a'.repeat(240)],
		['cuts a name that ends with a dot', `${'a'.repeat(300)}.`, 'a'.repeat(240)],
		['takes a long ending for no extension', `a.${'b'.repeat(300)}`, `a.${'b'.repeat(238)}`],
		['cuts a hidden name', `.${'a'.repeat(300)}`, 'a'.repeat(240)],
		['counts bytes of letters', `${'é'.repeat(200)}.pdf`, `${'é'.repeat(118)}.pdf`],
		['counts bytes of Chinese', `${'報'.repeat(200)}.pdf`, `${'報'.repeat(78)}.pdf`],
		['cuts no emoji', `${'😀'.repeat(100)}.png`, `${'😀'.repeat(59)}.png`],
		['keeps an extension in another script', `${'a'.repeat(300)}.文書`, `${'a'.repeat(233)}.文書`],
		['reads a very long name', `x/${'a'.repeat(5_000_000)}.pdf`, `${'a'.repeat(236)}.pdf`],
	])('%s', (_label, name, expected) => {
		expect(safe(name)).toBe(expected);
	});

	it('shortens equal long names so that their numbers fit', () => {
		const name = `${'é'.repeat(200)}.pdf`;

		expect(toSafeFileNames([name, name])).toEqual([
			`${'é'.repeat(118)}.pdf`,
			`${'é'.repeat(116)} (2).pdf`,
		]);
	});

	it('numbers names that are equal once they are shortened', () => {
		const long = 'a'.repeat(300);

		expect(toSafeFileNames([`${long}1.pdf`, `${long}2.pdf`])).toEqual([
			`${'a'.repeat(236)}.pdf`,
			`${'a'.repeat(232)} (2).pdf`,
		]);
	});

	it.each<[string, string[], string[]]>([
		['equal names', ['a.txt', 'a.txt', 'a.txt'], ['a.txt', 'a (2).txt', 'a (3).txt']],
		['equal names without an ending', ['a', 'a'], ['a', 'a (2)']],
		['names that differ in case', ['A.txt', 'a.TXT'], ['A.txt', 'a (2).TXT']],
		['names that differ in their folders', ['x/a.txt', 'y/a.txt'], ['a.txt', 'a (2).txt']],
		[
			'equal names past one that has a number',
			['a.txt', 'a (2).txt', 'a.txt'],
			['a.txt', 'a (2).txt', 'a (3).txt'],
		],
		[
			'equal names past one that has a number in another case',
			['a.txt', 'A (2).txt', 'a.txt'],
			['a.txt', 'A (2).txt', 'a (3).txt'],
		],
		['a name that stands for a missing one', ['', 'file_1'], ['file_1', 'file_1 (2)']],
		['hidden names', ['.env', '..env'], ['env', 'env (2)']],
	])('numbers %s', (_label, names, expected) => {
		expect(toSafeFileNames(names)).toEqual(expected);
	});

	it('returns as many names as there are files, in their order', () => {
		expect(toSafeFileNames(['b', undefined, 'a'])).toEqual(['b', 'file_2', 'a']);
		expect(toSafeFileNames([])).toEqual([]);
	});

	it('numbers 20,000 equal names, one after the other', () => {
		const names = toSafeFileNames(Array<string>(20_000).fill('a.txt'));

		expect(new Set(names).size).toBe(20_000);
		expect(names.at(-1)).toBe('a (20000).txt');
	});

	it('returns safe and different names whatever the service sends', () => {
		const anyName = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });

		fc.assert(
			fc.property(fc.array(anyName, { maxLength: 8 }), (given) => {
				const names = toSafeFileNames(given);

				const keys = names.map((name) => name.toLowerCase());
				expect(new Set(keys).size).toBe(given.length);
				for (const name of names) {
					expect(path.posix.basename(name)).toBe(name);
					expect(path.win32.basename(name)).toBe(name);
					expect(name).not.toMatch(/^$|^\.|[\p{Cc}/\\]/u);
					expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
				}
			}),
			{ numRuns: 50 },
		);
	});
});

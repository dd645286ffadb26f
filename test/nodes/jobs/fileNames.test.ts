import fc from 'fast-check';
import path from 'node:path';

import { toSafeFileNames } from '../../../nodes/jobs/fileNames';

/** The safe name of a job's only file. */
function safe(name: string | undefined): string {
	return toSafeFileNames([name])[0] ?? '';
}

describe('a safe file name', () => {
	it.each([
		['plain', 'report.pdf'],
		['with spaces', 'my report (final).pdf'],
		['without an ending', 'README'],
		['with several endings', 'backup.tar.gz'],
		['with a dot in front', '.env'],
		['in Chinese', '報告書.pdf'],
		['in Arabic', 'تقرير.pdf'],
		['with marks', 'Über größe.txt'],
		['with an emoji of several parts', '👩‍👩‍👧.png'],
		['with signs', "a&b=c+d'e#f%20.txt"],
	])('is the name itself when that is %s', (_label, name) => {
		expect(safe(name)).toBe(name);
	});

	it.each([
		['folders', '/etc/passwd', 'passwd'],
		['folders that lead upwards', '../../secret.txt', 'secret.txt'],
		['folders of Windows', 'C:\\Users\\me\\a.txt', 'a.txt'],
		['folders of both kinds', 'a/b\\c.txt', 'c.txt'],
		['folders behind control characters', 'a\u0000/\u0001b.txt', 'b.txt'],
		['space around it', '  a.txt\t', 'a.txt'],
		['a zero byte', 'a.txt\u0000.exe', 'a.txt.exe'],
		['line breaks', 'a\r\nb.txt', 'ab.txt'],
		['other line breaks', 'a\u2028b\u2029.txt', 'ab.txt'],
		['control characters of the upper half', 'a\u0085b.txt', 'ab.txt'],
		['a delete', 'a\u007fb.txt', 'ab.txt'],
		['a turned reading direction', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
		['an isolated reading direction', 'a\u2066b\u2069.txt', 'ab.txt'],
	])('has no %s', (_label, name, expected) => {
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
	])('is a number for a name that is %s', (_label, name) => {
		expect(toSafeFileNames(['a.txt', name])).toEqual(['a.txt', 'file_2']);
	});

	it('is cut at 200 bytes, with its ending kept', () => {
		const name = safe(`${'a'.repeat(300)}.pdf`);

		expect(name).toBe(`${'a'.repeat(196)}.pdf`);
	});

	it('is cut between characters, not inside one', () => {
		const name = safe(`${'😀'.repeat(300)}.png`);

		expect(name.endsWith('😀.png')).toBe(true);
		expect(() => encodeURIComponent(name)).not.toThrow();
	});

	it('fits onto the disks of all systems, whatever its letters take', () => {
		const name = safe(`${'報'.repeat(300)}.pdf`);

		expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
		expect(name.endsWith('.pdf')).toBe(true);
	});

	it('takes no more for an ending than one can be', () => {
		const name = safe(`a.${'b'.repeat(300)}`);

		expect(name).toBe(`a.${'b'.repeat(198)}`);
	});
});

describe('the names of a job', () => {
	it.each<[string, string[], string[]]>([
		[
			'are numbered when they are alike',
			['a.txt', 'a.txt', 'a.txt'],
			['a.txt', 'a (2).txt', 'a (3).txt'],
		],
		['are numbered without an ending, too', ['a', 'a'], ['a', 'a (2)']],
		['are alike in large and small letters', ['A.txt', 'a.TXT'], ['A.txt', 'a (2).TXT']],
		['are alike without their folders', ['x/a.txt', 'y/a.txt'], ['a.txt', 'a (2).txt']],
		[
			'are numbered past a name that has a number',
			['a.txt', 'a (2).txt', 'a.txt'],
			['a.txt', 'a (2).txt', 'a (3).txt'],
		],
		['leave a name alone that a nameless file would get', ['', 'file_1'], ['file_1', 'file_1 (2)']],
		['number what has a dot in front', ['.env', '.env'], ['.env', '.env (2)']],
	])('%s', (_label, names, expected) => {
		expect(toSafeFileNames(names)).toEqual(expected);
	});

	it('are as many as the files, in their order', () => {
		expect(toSafeFileNames(['b', undefined, 'a'])).toEqual(['b', 'file_2', 'a']);
		expect(toSafeFileNames([])).toEqual([]);
	});

	it('are safe and different, whatever the service says', () => {
		const anyName = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });

		fc.assert(
			fc.property(fc.array(anyName, { maxLength: 8 }), (given) => {
				const names = toSafeFileNames(given);

				expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(given.length);
				for (const name of names) {
					expect(path.posix.basename(name)).toBe(name);
					expect(path.win32.basename(name)).toBe(name);
					expect(name).not.toMatch(/^\.*$|[\p{Cc}/\\]/u);
					expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
				}
			}),
			{ numRuns: 50 },
		);
	});
});

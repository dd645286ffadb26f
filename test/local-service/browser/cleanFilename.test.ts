import { cleanFilename, contentTypeOf } from '../../../local-service/browser/cleanFilename';

describe('The name of a file', () => {
	it.each([
		['report.pdf', 'report.pdf'],
		['Rechnung März (2).pdf', 'Rechnung März (2).pdf'],
		['../../etc/passwd', 'passwd'],
		['C:\\Windows\\system.ini', 'system.ini'],
		['..', 'download'],
		['', 'download'],
		[' .hidden. ', 'hidden'],
		['a\u0000b\nc\u001b[31m.txt', 'abc[31m.txt'],
		['gnp.\u202eexe', 'gnp.exe'],
		['a<b>:"|?*.txt', 'a_b______.txt'],
		['a\u2028b.txt', 'ab.txt'],
	])('%j is kept as %j', (name, clean) => {
		expect(cleanFilename(name)).toBe(clean);
	});

	it('has 150 characters at most, with its extension', () => {
		expect(cleanFilename(`${'a'.repeat(400)}.pdf`)).toBe(`${'a'.repeat(146)}.pdf`);
		expect(cleanFilename(`${'€'.repeat(400)}.pdf`)).toHaveLength(150);
	});
});

describe('The type of a file', () => {
	it.each([
		['a.pdf', 'application/pdf'],
		['a.PNG', 'image/png'],
		['a.csv', 'text/csv'],
		['a.json', 'application/json'],
		['a.svg', 'application/octet-stream'],
		['a.html', 'application/octet-stream'],
		['a', 'application/octet-stream'],
		['a.pdf.exe', 'application/octet-stream'],
	])('of %s is %s', (name, type) => {
		expect(contentTypeOf(name)).toBe(type);
	});
});

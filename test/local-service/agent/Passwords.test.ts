import { Passwords } from '../../../local-service/agent/Passwords';

function hide(password: string, text: string): string {
	const passwords = new Passwords();
	passwords.add(password);
	return passwords.hide(text);
}

describe('A known password', () => {
	it.each([
		['as it is', 'hunter2', 'text: hunter2.', 'text: (filled).'],
		['twice', 'hunter2', 'hunter2 hunter2', '(filled) (filled)'],
		['in an address', 'a b&c', '/x?p=a%20b%26c', '/x?p=(filled)'],
		['in the address of a form', 'a b&c', '/x?p=a+b%26c', '/x?p=(filled)'],
		['as forms send it', "it's 5!", '/x?p=it%27s+5%21', '/x?p=(filled)'],
		[
			'in an address within an address',
			'a b&c',
			'/x?next=%2Fy%3Fp%3Da%2520b%2526c',
			'/x?next=%2Fy%3Fp%3D(filled)',
		],
		['in quotes of JSON within quotes of YAML', `it's "5"`, `'it''s \\"5\\"'`, `'(filled)'`],
		['in quotes of JSON', 'say "hi"', '"say \\"hi\\""', '"(filled)"'],
		['in quotes of YAML', "it's", "'it''s'", "'(filled)'"],
		['with its spaces as one', 'a  b  c', '- textbox: a b c', '- textbox: (filled)'],
		['with half a character', 'half\ud800', 'half\ud800 half%EF%BF%BD', '(filled) (filled)'],
	])('is hidden %s', (_label, password, text, hidden) => {
		expect(hide(password, text)).toBe(hidden);
	});

	it('of three characters is hidden as the value of a field only', () => {
		const text = '- textbox "abc" [ref=e1]: abc\n- text: abc\n- text: "abc"\n- link "abc": abcd';

		expect(hide('abc', text)).toBe(
			'- textbox "abc" [ref=e1]: (filled)\n- text: (filled)\n- text: (filled)\n- link "abc": abcd',
		);
	});

	it('that contains another one is hidden whole', () => {
		const passwords = new Passwords();
		passwords.add('secret');
		passwords.add('secretive');

		expect(passwords.hide('secretive secret')).toBe('(filled) (filled)');
	});

	it('is not looked for in what stands in for another one', () => {
		const passwords = new Passwords([
			{ name: 'FILLED_IN', host: 'a.example', value: () => 'correct horse', isCode: false },
		]);
		for (const password of ['FILLED_IN', 'filled', 'secret']) passwords.add(password);

		expect(passwords.hide('correct horse, secret')).toBe('<secret>FILLED_IN</secret>, (filled)');
	});

	it('that is empty hides nothing', () => {
		expect(hide('', 'text')).toBe('text');
	});
});

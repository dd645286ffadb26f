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

	it('that is empty hides nothing', () => {
		expect(hide('', 'text')).toBe('text');
	});
});

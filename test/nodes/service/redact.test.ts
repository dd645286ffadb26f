import fc from 'fast-check';

import { Secrets } from '../../../nodes/service/redact';

function secretsOf(...values: unknown[]): Secrets {
	const secrets = new Secrets();
	for (const value of values) secrets.add(value);
	return secrets;
}

describe('a text that is to be shown', () => {
	it.each([
		['alone', 'abcd1234', '[hidden]'],
		['among words', 'the key abcd1234 is old', 'the key [hidden] is old'],
		['within a word', 'xabcd1234x', 'x[hidden]x'],
		['twice', 'abcd1234abcd1234', '[hidden][hidden]'],
	])('has no secret in it: %s', (_label, text, shown) => {
		expect(secretsOf('abcd1234').clean(text)).toBe(shown);
	});

	it.each([
		['as in an address', 'a b/c?d', 'to=a%20b%2Fc%3Fd'],
		['as in JSON', 'a"b\\c', '{"key":"a\\"b\\\\c"}'],
		['with space around it', '  abcd1234\n', 'abcd1234'],
	])('has no secret in it in another spelling: %s', (_label, secret, text) => {
		expect(secretsOf(secret).clean(text)).toContain('[hidden]');
	});

	it('has none of two secrets in it when one is a part of the other', () => {
		const secrets = secretsOf('abcd1234', 'https://example.com/?key=abcd1234&session=5678');

		const shown = secrets.clean('lost https://example.com/?key=abcd1234&session=5678');

		expect(shown).toBe('lost [hidden]');
	});

	it.each([
		['nothing', undefined],
		['null', null],
		['a number', 1234],
		['an empty text', ''],
		['three letters, which would black out half of every text', 'the'],
	])('stays whole when the secret is %s', (_label, secret) => {
		expect(secretsOf(secret).clean('the key 1234')).toBe('the key 1234');
	});

	it.each([
		['ws', 'at ws://localhost:9222/devtools/1 now', 'at [hidden] now'],
		['wss', 'at wss://example.com/?token=1 now', 'at [hidden] now'],
		['capitals', 'at WSS://EXAMPLE.COM now', 'at [hidden] now'],
		['quotes', '"wss://example.com/1"', '"[hidden]"'],
		['brackets', '<wss://example.com/1>', '<[hidden]>'],
	])('has no address of a browser in it, whoever has told it: %s', (_label, text, shown) => {
		expect(new Secrets().clean(text)).toBe(shown);
	});

	it("keeps the job's ID, which the address of its browser may hold", () => {
		const secrets = new Secrets();
		secrets.addAddress('wss://cdp.example.com/job_1a2b3c4d?token=5e6f7a8b9c', 'job_1a2b3c4d');

		const shown = secrets.clean('https://example.com/history/job_1a2b3c4d?token=5e6f7a8b9c');

		expect(shown).toBe('https://example.com/history/job_1a2b3c4d?token=[hidden]');
	});

	it('keeps addresses of pages', () => {
		const text = 'see https://example.com/help and http://localhost/';

		expect(new Secrets().clean(text)).toBe(text);
	});

	it.each([
		['line breaks', 'a\r\nb\n\nc', 'a b c'],
		['tabs and space', ' a\t\tb  ', 'a b'],
		['control characters', 'a\u0000b\u001b[31mc', 'a b [31mc'],
		['separators of lines', 'a\u2028b\u2029c', 'a b c'],
	])('is one line without %s', (_label, text, shown) => {
		expect(new Secrets().clean(text)).toBe(shown);
	});

	it.each([
		['a text of 500 characters', 500, 500],
		['a longer text', 501, 500],
		['a huge text', 5_000_000, 500],
	])('has 500 characters at most: %s', (_label, length, shown) => {
		expect(new Secrets().clean('x'.repeat(length))).toHaveLength(shown);
	});

	it('is made in no time, however long the text is', () => {
		const began = performance.now();

		secretsOf('abcd1234').clean(`${'ws://'.repeat(500_000)} ${'\n'.repeat(2_500_000)}`);

		expect(performance.now() - began).toBeLessThan(1_000);
	});

	it('takes a secret with half a character in it, which no address can hold', () => {
		const secrets = secretsOf('abcd\ud83d1234');

		expect(secrets.clean('abcd\ud83d1234')).toBe('[hidden]');
	});

	it('never holds any part of a secret that is cut off', () => {
		const secret = 'SECRET-0123456789';
		const padding = fc.oneof(
			fc.string({ maxLength: 600 }),
			fc.integer({ min: 19_950, max: 20_050 }).map((length) => ' '.repeat(length)),
			fc.integer({ min: 19_950, max: 20_050 }).map((length) => `ws://${'x'.repeat(length)} `),
			fc.integer({ min: 480, max: 510 }).map((length) => 'x'.repeat(length)),
		);

		fc.assert(
			fc.property(padding, padding, (before, after) => {
				const shown = secretsOf(secret).clean(`${before}${secret}${after}`);

				expect(shown).not.toContain('SECRET');
				expect(shown.length).toBeLessThanOrEqual(500);
			}),
		);
	});
});

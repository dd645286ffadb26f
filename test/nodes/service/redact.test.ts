import fc from 'fast-check';

import { Redactor } from '../../../nodes/service/redact';

function redactorOf(...secrets: unknown[]): Redactor {
	const redactor = new Redactor();
	for (const secret of secrets) redactor.addSecret(secret);
	return redactor;
}

function redactorOfUrls(...urls: Array<[url: unknown, jobId?: string]>): Redactor {
	const redactor = new Redactor();
	for (const [url, jobId] of urls) redactor.addUrl(url, jobId);
	return redactor;
}

const urlNumber = (number: number): [string] => [
	`https://example.com/?token=secret-no-${number}-x`,
];

describe('Redactor', () => {
	it.each([
		['alone', 'abcd1234', '[hidden]'],
		['among words', 'the key abcd1234 is old', 'the key [hidden] is old'],
		['within a word', 'xabcd1234x', 'x[hidden]x'],
		['twice', 'abcd1234abcd1234', '[hidden][hidden]'],
		['in capitals', 'ABCD1234', '[hidden]'],
	])('hides a secret %s', (_label, text, shown) => {
		expect(redactorOf('abcd1234').redact(text)).toBe(shown);
	});

	it.each([
		['encoded for a URL', 'a b/c?d', 'to=a%20b%2Fc%3Fd.', 'to=[hidden].'],
		['escaped for JSON', 'a"b\\c', '{"key":"a\\"b\\\\c"}', '{"key":"[hidden]"}'],
		['with space around it', '  abcd1234\n', '-abcd1234-', '-[hidden]-'],
		['of four characters', 'abcd', '-abcd-', '-[hidden]-'],
		['with characters of patterns', '$&.*(a', '-$&.*(a-', '-[hidden]-'],
		['with a lone surrogate', 'abcd\ud83d1234', '-abcd\ud83d1234-', '-[hidden]-'],
		[
			'of 5,000 characters, with the rest of its word',
			'x'.repeat(5_000),
			`${'x'.repeat(5_000)}y z`,
			'[hidden] z',
		],
		[
			'of 40,000 characters',
			'x'.repeat(40_000),
			`at ${'x'.repeat(40_000)} z`,
			// The text is cut before its last word.
			'at [hidden]',
		],
		[
			'of 3,999 characters, without it',
			'x'.repeat(3_999),
			`${'x'.repeat(3_999)}y z`,
			'[hidden]y z',
		],
	])('hides a secret %s', (_label, secret, text, shown) => {
		expect(redactorOf(secret).redact(text)).toBe(shown);
	});

	it.each([
		['undefined', undefined],
		['null', null],
		['a number', 1234],
		['an empty text', ''],
		['three letters, which occur in most texts', 'key'],
	])('ignores a secret that is %s', (_label, secret) => {
		expect(redactorOf(secret).redact('the key 1234')).toBe('the key 1234');
	});

	it('hides the longer of two secrets first', () => {
		const redactor = redactorOf('abcd1234', 'https://example.com/?key=abcd1234&session=5678');

		const shown = redactor.redact('lost https://example.com/?key=abcd1234&session=5678');

		expect(shown).toBe('lost [hidden]');
	});

	it.each([
		['ws', 'at ws://localhost:9222/devtools/1 now', 'at [hidden] now'],
		['wss', 'at wss://example.com/?token=1 now', 'at [hidden] now'],
		['capitals', 'at WSS://EXAMPLE.COM now', 'at [hidden] now'],
		['double quotes', '"wss://example.com/1"', '"[hidden]"'],
		['single quotes', "'wss://example.com/1'", "'[hidden]'"],
		['brackets', '<wss://example.com/1>', '<[hidden]>'],
		['escaped quotes', '\\"wss://example.com/1\\"', '\\"[hidden]\\"'],
	])('hides any WebSocket address, known or not: %s', (_label, text, shown) => {
		expect(new Redactor().redact(text)).toBe(shown);
	});

	it.each([
		['web addresses', 'see https://example.com/help and http://localhost/'],
		['words that end in ws://', 'news://example.com'],
	])('keeps %s', (_label, text) => {
		expect(new Redactor().redact(text)).toBe(text);
	});

	describe("of a browser's address", () => {
		it.each([
			[
				'the whole',
				' http://a.example:9222/x ',
				'at http://a.example:9222/x now',
				'at [hidden] now',
			],
			['the whole, normalized', 'HTTP://A.example:80', 'at http://a.example/', 'at [hidden]'],
			[
				'the whole, decoded',
				'https://a.example/t%C3%B6ken',
				'at https://a.example/töken',
				'at [hidden]',
			],
			['the user name', 'https://user@a.example', 'for user', 'for [hidden]'],
			['the password', 'https://:pass@a.example', 'with pass', 'with [hidden]'],
			['the password, decoded', 'https://:p%20ss@a.example', 'with p ss', 'with [hidden]'],
			['a path of nine characters', 'https://a.example/123456789/', 'at 123456789', 'at [hidden]'],
			[
				'a parameter of nine characters',
				'https://a.example/?t=123456789',
				'at 123456789',
				'at [hidden]',
			],
			[
				'a parameter with a plus',
				'https://a.example/?t=12+34/5678==',
				'at 12+34/5678==',
				'at [hidden]',
			],
			['a parameter without a name', 'https://a.example/?123456789', 'at 123456789', 'at [hidden]'],
			[
				'an encoded part, decoded',
				'https://a.example/t%C3%B6ken-1234',
				'at töken-1234',
				'at [hidden]',
			],
			['text that is no URL', ' token-1 ', 'at token-1', 'at [hidden]'],
			[
				'the first 4,000 characters, and the rest',
				`token${'x'.repeat(5_000)}`,
				`token${'x'.repeat(5_000)} is`,
				'[hidden] is',
			],
		])('hides %s', (_label, url, text, shown) => {
			expect(redactorOfUrls([url]).redact(text)).toBe(shown);
		});

		it.each([
			['a path of eight characters', 'https://a.example/devtools', 'open devtools'],
			['a parameter of eight characters', 'https://a.example/?t=12345678', 'at 12345678'],
			['an encoded part that is broken, decoded', 'https://a.example/%E0%A4%A', 'at a.example'],
			['a number', 12345678, 'at 12345678'],
		])('keeps %s', (_label, url, text) => {
			expect(redactorOfUrls([url]).redact(text)).toBe(text);
		});

		it("keeps the job's own ID, which appears in links", () => {
			const redactor = redactorOfUrls([
				'wss://cdp.example.com/job_1a2b3c4d?token=5e6f7a8b9c',
				'job_1a2b3c4d',
			]);

			const shown = redactor.redact('https://example.com/history/job_1a2b3c4d?token=5e6f7a8b9c');

			expect(shown).toBe('https://example.com/history/job_1a2b3c4d?token=[hidden]');
		});

		it('hides 20 parts', () => {
			const tokens = Array.from({ length: 21 }, (_, index) => `token-no-${index}x`);
			const redactor = redactorOfUrls([`https://a.example/${tokens.join('/')}`]);

			expect(redactor.redact(tokens.join(' '))).toBe(`${'[hidden] '.repeat(20)}token-no-20x`);
		});

		it('hides the latest 100 addresses', () => {
			const redactor = redactorOfUrls(
				...Array.from({ length: 101 }, (_, index) => urlNumber(index)),
			);

			const shown = redactor.redact('secret-no-0-x secret-no-1-x secret-no-100-x');

			expect(shown).toBe('secret-no-0-x [hidden] [hidden]');
		});

		it('counts an address that comes again as the latest', () => {
			const numbers = [0, ...Array.from({ length: 99 }, (_, index) => index + 1), 0, 100];
			const redactor = redactorOfUrls(...numbers.map(urlNumber));

			expect(redactor.redact('secret-no-0-x secret-no-1-x')).toBe('[hidden] secret-no-1-x');
		});
	});

	it.each([
		['20,000 characters whole', 'x'.repeat(20_000), 'x'.repeat(20_000)],
		['more up to the last word', `${'x '.repeat(10_000)}x`, `${'x '.repeat(10_000)}[hidden]`],
		['no half of a word', `x ${'y'.repeat(20_000)} z`, 'x [hidden]'],
		['nothing of a longer word', 'x'.repeat(20_001), '[hidden]'],
		['nothing of 5 million addresses', 'wss://'.repeat(5_000_000), '[hidden]'],
	])('shows %s', (_label, text, shown) => {
		expect(new Redactor().redact(text)).toBe(shown);
	});

	it('redacts a full text with all the secrets it can hold', () => {
		const tokens = Array.from({ length: 2_000 }, (_, index) => `token-${index}-${'x'.repeat(20)}`);
		const redactor = redactorOfUrls(
			...Array.from({ length: 100 }, (_, url): [string] => [
				`https://a.example/${tokens.slice(url * 20, url * 20 + 20).join('/')}`,
			]),
		);

		const shown = redactor.redact(tokens.join(' '));

		expect(shown.replaceAll('[hidden]', '').trim()).toBe('');
	});

	it('makes what it shows plain text of 500 characters at most, or of another number', () => {
		const redactor = redactorOf('abcd1234');
		const text = `<b>abcd1234\n${'x'.repeat(600)}`;

		expect(redactor.toPlainText(text)).toBe(`‹b›[hidden] ${'x'.repeat(487)}…`);
		expect(redactor.toPlainText(text, 12)).toBe('‹b›[hidden]…');
	});

	it('never throws, and never shows a known secret', () => {
		const anyText = fc.string({
			unit: fc.oneof(
				fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
				fc.constantFrom('\ud83d', '%', '://', 'wss', '?', '/', '@', '"', '\\'),
			),
		});
		const secrets = anyText.filter(
			(text) => text.trim().length >= 4 && !'[hidden]'.includes(text.trim()),
		);

		fc.assert(
			fc.property(secrets, anyText, anyText, anyText, (secret, url, before, after) => {
				const redactor = redactorOf(secret);
				redactor.addUrl(url);

				const shown = redactor.redact(`${before}${secret}${after}`);

				expect(shown).toContain('[hidden]');
			}),
		);
	});

	it('shows no part of a secret that is cut off', () => {
		const redactor = redactorOf('SECRET-0123456789');
		const padding = fc.oneof(
			fc.string({ maxLength: 600 }),
			fc.integer({ min: 19_950, max: 20_050 }).map((length) => ' '.repeat(length)),
			fc.integer({ min: 19_950, max: 20_050 }).map((length) => `ws://${'x'.repeat(length)} `),
			fc.integer({ min: 480, max: 510 }).map((length) => 'x'.repeat(length)),
		);

		fc.assert(
			fc.property(padding, padding, (before, after) => {
				const shown = redactor.toPlainText(`${before}SECRET-0123456789${after}`);

				expect(shown).not.toContain('SECRET');
				expect(shown.length).toBeLessThanOrEqual(500);
			}),
		);
	});
});

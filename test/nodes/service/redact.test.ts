import fc from 'fast-check';

import { Redactor } from '../../../nodes/service/redact';

const TOKEN = '5e6f7a8b9c0d1e2f';
const ADDRESS = `https://operator:pass-w0rd-0123456789@browsers.example.com/8f3a1b2c-9d4e-4a5b?session=${TOKEN}&short=123456789012345&sig=Zm9v%2BYmFy%2Fcafe9#fragment-0123456789`;

function redactorOf(...addresses: unknown[]): Redactor {
	const redactor = new Redactor();
	for (const address of addresses) redactor.addCdpUrl(address);
	return redactor;
}

describe('Redactor: the key', () => {
	it.each([
		['when it stands alone', 'sk+ab/1234=', '[hidden]'],
		['among words', 'the key sk+ab/1234= is old', 'the key [hidden] is old'],
		['glued to letters, twice', 'xsk+ab/1234=xsk+ab/1234=', 'x[hidden]x[hidden]'],
	])('is hidden %s', (_label, text, shown) => {
		expect(new Redactor(' sk+ab/1234=\n').redact(text)).toBe(shown);
	});

	it('is not looked for if it is so short that it occurs in most texts', () => {
		expect(new Redactor('key').redact('the key 1234')).toBe('the key 1234');
	});

	const part = fc.constantFrom(...['sk', 'live', '4f9a', '2d', 'n', 'u00', 'amp', 'LT', '0']);
	const separator = fc.constantFrom(...['-', '_', '.', '/', '+', '=', ':', '%2F', '"', '\\']);
	const key = fc
		.tuple(part, fc.array(fc.tuple(separator, part), { maxLength: 5 }))
		.map(([first, others]) => first + others.flat().join(''))
		.filter(({ length }) => length >= 4);
	const around = fc
		.array(
			fc.oneof(
				fc.constantFrom(...['%', '%2', '\\', '\\u', '&', ';', '://', 'wss', '[hidden]']),
				separator,
				part,
				fc.string({ unit: 'binary', maxLength: 1 }),
			),
			{ maxLength: 8 },
		)
		.map((parts) => parts.join(''));
	const encodings: Array<(text: string) => string> = [
		(text) => text,
		(text) => encodeURIComponent(text),
		(text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
		(text) => JSON.stringify(text).slice(1, -1),
		(text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
	];

	it('is never shown, whatever stands around it and however it is encoded', () => {
		fc.assert(
			fc.property(
				...[key, fc.constantFrom(...encodings), around, around, around],
				(secret, encode, address, before, after) => {
					const redactor = new Redactor(secret);
					redactor.addCdpUrl(`https://a.example/${address}`);

					const shown = redactor.redact(before + encode(secret) + after);

					expect(shown).toContain('[hidden]');
					expect(shown).not.toContain(secret);
					expect(shown).not.toContain(encode(secret));
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('is not shown in part where a text is cut', () => {
		const redactor = new Redactor('SECRET-0123456789');
		const padding = fc.oneof(
			fc.string({ maxLength: 600 }),
			fc.integer({ min: 19_950, max: 20_050 }).map((length) => ' '.repeat(length)),
			fc.integer({ min: 480, max: 510 }).map((length) => '-'.repeat(length)),
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

describe('Redactor: a WebSocket or DevTools address, known or not,', () => {
	it.each([
		['ws', 'at ws://localhost:9222/1 now', 'at [hidden] now'],
		['brackets', '<wss://[::1]/1>', '<[hidden]>'],
		['in JSON', '{"url":"wss:\\/\\/example.com\\/1"}', '{"url":"[hidden]"}'],
		['percent-encoded', 'to=wss%3A%2F%2Fexample.com', 'to=[hidden]'],
		['http', 'at http://localhost:9222/devtools/browser/1 now', 'at [hidden] now'],
		['before a full stop', 'lost wss://a.example/1.', 'lost [hidden].'],
		['without a scheme', 'at localhost:9222/devtools/page/1 now', 'at [hidden] now'],
		['DevTools, in JSON', '{"url":"http:\\/\\/a\\/devtools\\/1"}', '{"url":"[hidden]"}'],
		['DevTools, percent-encoded', 'at http%3A%2F%2Fa%2Fdevtools%2F1 now', 'at [hidden] now'],
	])('is hidden: %s', (_label, text, shown) => {
		expect(new Redactor().redact(text)).toBe(shown);
	});

	it.each([
		['a web address', 'see https://example.com/help and http://localhost/'],
		['what an address begins with', 'it must begin with ws://, wss:// or https://'],
		['the word', 'open devtools'],
	])('is distinguished from %s', (_label, text) => {
		expect(new Redactor().redact(text)).toBe(text);
	});
});

describe("Redactor: a known browser's http(s) address", () => {
	const PATH = 'https://browsers.example.com/8f3a1b2c/1';

	it.each([
		['as it is', `at ${ADDRESS} now`],
		['percent-encoded', `at ${encodeURIComponent(ADDRESS)} now`],
		['in JSON', `at ${ADDRESS.replaceAll('/', '\\/')} now`],
		['in a JSON string', `at ${JSON.stringify(JSON.stringify(ADDRESS)).slice(3, -3)} now`],
		['in capitals', `at ${ADDRESS.replace('https://operator', 'HTTPS://OPERATOR')} now`],
		['without its login and query', 'at https://browsers.example.com/8f3a1b2c-9d4e-4a5b now'],
		['with its port', `at ${ADDRESS.replace('.com/', '.com:443/')} now`],
	])('is hidden as a whole %s', (_label, text) => {
		expect(redactorOf(ADDRESS).redact(text)).toBe('at [hidden] now');
	});

	it.each([
		['a longer path', PATH, `${PATH}/json/version/?token=abc`],
		['a path and a query without a login', PATH, `${PATH}?token=abc#1`],
		['its path, which ends in a slash', `${PATH}/`, PATH],
		[
			'a path before its query',
			'https://a.example?token=abc',
			'https://a.example/json/version/?token=abc',
		],
		[
			'a path after its query',
			'https://a.example/?token=abc',
			'https://a.example/?token=abc/json/version/',
		],
		['more in its query', 'https://a.example/?token=abc', 'https://a.example/?token=abc&x=1'],
		['no path and no query', 'http://b:9222', 'http://b:9222/json/version/'],
		['letters that are not ASCII', 'http://bücher.example/ä', 'http://bücher.example/ä/1'],
		[
			'an address in its path',
			'http://a.example/http://b.example',
			'http://a.example/http://b.example',
		],
	])('is hidden to the end of the word in another address with %s', (_label, known, longer) => {
		const redactor = redactorOf(known);

		for (const written of [longer, encodeURIComponent(longer), longer.replaceAll('/', '\\/')]) {
			expect(redactor.redact(`at ${written} now`)).toBe('at [hidden] now');
		}
	});

	it.each([
		['a sentence', `It is ${ADDRESS}. (Or ${ADDRESS}), ok`, 'It is [hidden]. (Or [hidden]), ok'],
		['quotation marks', `'${PATH}','${PATH}'`, `'[hidden]','[hidden]'`],
		[
			'encoded JSON',
			`to=${encodeURIComponent(`{"url":"${PATH}","x":1}`)}`,
			'to=%7B%22url%22%3A%22[hidden]',
		],
		['another address', `https://proxy.example/?to=${PATH}`, 'https://proxy.example/?to=[hidden]'],
		['a list', `https://a.example,${PATH},https://b.example`, 'https://a.example,[hidden]'],
	])('is found in %s', (_label, text, shown) => {
		const redactor = redactorOf(ADDRESS, PATH);

		expect(redactor.redact(text)).toBe(shown);
	});

	it.each([
		['another path', PATH, 'https://browsers.example.com/8f3a1b2c/2'],
		['a part of its path', PATH, 'https://browsers.example.com/8f3a1b2c'],
		['a path that begins with its own', PATH, `${PATH}2`],
		['another origin', PATH, 'https://browsers.example.com:8443/8f3a1b2c/1'],
		[
			'another query, if it has no path',
			'https://a.example/?token=abc',
			'https://a.example/?token=abcd',
		],
		['no query, if it has no path', 'https://a.example/?token=abc', 'https://a.example/history'],
		['a query, if it has neither', 'http://b:9222', 'http://b:9222/history?page=2'],
	])('is not taken for one with %s', (_label, known, other) => {
		expect(redactorOf(known).redact(`at ${other} now`)).toBe(`at ${other} now`);
	});

	it.each([
		['its host', 'browsers.example.com'],
		['its login', 'pass-w0rd-0123456789 of operator'],
		['a part of its path', '8f3a1b2c-9d4e-4a5b'],
		['a value of its query, e.g. the ID of a job', TOKEN],
	])('is not hidden in %s that stands alone', (_label, text) => {
		expect(redactorOf(ADDRESS).redact(text)).toBe(text);
	});

	it.each([undefined, null, '', 7, 'running', 'http://'])('is ignored if it is %j', (address) => {
		const text = 'running 7 jobs at http://a.example';

		expect(redactorOf(address).redact(text)).toBe(text);
	});

	it('is hidden as a whole if it contains the key', () => {
		const redactor = new Redactor('sk-live-1');
		redactor.addCdpUrl('https://a.example/s/sk-live-1');

		expect(redactor.redact('at https://a.example/s/sk-live-1/2 now')).toBe('at [hidden] now');
	});
});

describe('Redactor: limits', () => {
	it.each([
		['20,000 characters whole', 'x'.repeat(20_000), 'x'.repeat(20_000)],
		['more only up to the last word', `${'x '.repeat(10_000)}x`, `${'x '.repeat(10_000)}[hidden]`],
		['no half of a word', `x ${'y'.repeat(20_000)} z`, 'x [hidden]'],
		['nothing of 5 million addresses', 'wss://'.repeat(5_000_000), '[hidden]'],
	])('shows %s', (_label, text, shown) => {
		expect(new Redactor().redact(text)).toBe(shown);
	});

	it.each([
		['text', 'lost wss://a.example', 'lost [hidden]'],
		[
			'data',
			{ code: 7, 'at wss://a.example': [{ reason: 'abcd1234' }, null] },
			{ code: 7, 'at [hidden]': [{ reason: '[hidden]' }, null] },
		],
		['data whose words make a secret only together', { abcd: 1234 }, { abcd: 1234 }],
		['data with quotes', ['say "wss://a.example" twice'], ['say "[hidden]" twice']],
		['an absent value', undefined, undefined],
		[
			'much data, as text',
			['abcd1234', 'x '.repeat(10_000)],
			`["[hidden]","${'x '.repeat(9_993)}[hidden]`,
		],
	])('redacts %s', (_label, data, shown) => {
		expect(new Redactor('abcd1234').redactData(data)).toEqual(shown);
	});
});

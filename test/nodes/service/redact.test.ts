import fc from 'fast-check';

import { Redactor } from '../../../nodes/service/redact';

const ADDRESS =
	'wss://operator:pass-w0rd+1@browsers.example.com:9222/devtools/browser/8f3a1b2c-9d4e?session=5e6f7a8b9c&short=1';

function redactorOfAddress(address: unknown, jobId?: string): Redactor {
	const redactor = new Redactor();
	redactor.addAddress(address, jobId);
	return redactor;
}

describe('Redactor: the key', () => {
	it.each([
		['alone', 'sk+ab/1234=', '[hidden]='],
		['among words', 'the key sk+ab/1234= is old', 'the key [hidden]= is old'],
		['within a word, twice', 'xsk+ab/1234xsk+ab/1234', 'x[hidden]x[hidden]'],
		['in capitals', 'SK+AB/1234=', '[hidden]='],
		['percent-encoded', 'to=sk%2Bab%2f1234%3D.', 'to=[hidden]%3D.'],
		['percent-encoded twice', 'to=sk%252Bab%252F1234', 'to=[hidden]'],
		['in JSON', '"sk\\u002bab\\/1234\\u003d"', '"[hidden]\\u003d"'],
	])('is hidden %s', (_label, text, shown) => {
		expect(new Redactor(' sk+ab/1234=\n').redact(text)).toBe(shown);
	});

	it.each([
		['of four characters', 'abcd', '-abcd-', '-[hidden]-'],
		['of 40,000 characters', 'x'.repeat(40_000), `${'x'.repeat(5_000)} z`, '[hidden] z'],
	])('is hidden if it is one %s', (_label, key, text, shown) => {
		expect(new Redactor(key).redact(text)).toBe(shown);
	});

	it('is not looked for if it is so short that it occurs in most texts', () => {
		expect(new Redactor('key').redact('the key 1234')).toBe('the key 1234');
	});

	it('is never shown, whatever stands around it', () => {
		const anyText = fc.string({
			unit: fc.oneof(
				fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
				fc.constantFrom('\ud83d', '%', '://', 'wss', '?', '/', '@', '"', '\\', 'SECRET', '-'),
			),
		});

		fc.assert(
			fc.property(anyText, anyText, anyText, (address, before, after) => {
				const redactor = new Redactor('SECRET-0123456789');
				redactor.addAddress(address);

				const shown = redactor.redact(`${before}SECRET-0123456789${after}`);

				expect(shown).toContain('[hidden]');
				expect(shown).not.toContain('SECRET-0123456789');
			}),
		);
	});

	it('is shown in no part where a text is cut', () => {
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
		['percent-encoded twice', 'to=wss%253A%252F%252Fexample.com', 'to=[hidden]'],
		['http', 'at http://localhost:9222/devtools/browser/1 now', 'at [hidden] now'],
		['without a scheme', 'at localhost:9222/devtools/page/1 now', 'at [hidden] now'],
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

describe("Redactor: of a browser's address", () => {
	it.each([
		['a user name', 'operator', '[hidden]'],
		['a password', 'with pass-w0rd+1', 'with [hidden]'],
		['an encoded password', 'with pass%2Dw0rd%2B1', 'with [hidden]'],
		['user and password', 'Basic b3BlcmF0b3I6cGFzcy13MHJkKzE=', 'Basic [hidden]='],
		['a part of the path', 'browser 8f3a1b2c-9d4e.', 'browser [hidden].'],
		['a parameter', 'session=5e6f7a8b9c', 'session=[hidden]'],
		['the part after an escaped line break', '"at\\n5e6f7a8b9c"', '"at\\n[hidden]"'],
	])('%s is hidden', (_label, text, shown) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(shown);
	});

	it.each([
		['a fragment', 'https://a.example/#token-12'],
		['a path parameter', 'https://a.example/x;token=token-12'],
		['JSON within the query', 'https://a.example/?launch={"token":"token-12"}'],
		[
			'encoded JSON within the query',
			'https://a.example/?l=%257B%2522t%2522%253A%2522token-12%2522',
		],
		['the 200th part', `https://a.example/${'part/'.repeat(199)}token-12`],
		['text that is no address', ' token-12 '],
	])('%s is hidden', (_label, address) => {
		expect(redactorOfAddress(address).redact('at token-12')).toBe('at [hidden]');
	});

	it('the whole is hidden, however short its parts are', () => {
		const redactor = redactorOfAddress('http://a.example:9222/x1');

		expect(redactor.redact('at HTTP://a.example:9222/x1/ now')).toBe('at [hidden]/ now');
	});

	it.each([
		['the host', 'browsers.example.com'],
		['an ordinary word', 'open devtools in the browser'],
		['a part of seven characters', 'short session'],
		['a longer word', 'x5e6f7a8b9c'],
	])('%s is shown', (_label, text) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(text);
	});

	it.each([
		['as it is', 'https://example.com/history/run:8f3a1b2c3d?token=[hidden]'],
		['percent-encoded', 'https://example.com/history/run%3A8f3a1b2c3d?token=[hidden]'],
		['in JSON', '{"job_id":"run\\u003a8f3a1b2c3d","token":"[hidden]"}'],
	])("the job's own ID is shown %s", (_label, shown) => {
		const redactor = redactorOfAddress(
			'wss://cdp.example.com/run:8f3a1b2c3d?token=5e6f7a8b9c',
			'run:8f3a1b2c3d',
		);

		expect(redactor.redact(shown.replace('[hidden]', '5e6f7a8b9c'))).toBe(shown);
	});
});

describe('Redactor: stored hashes', () => {
	it('hide what they are of, and hold nothing of it', () => {
		const hashes = redactorOfAddress(ADDRESS).secretHashes;
		const redactor = new Redactor();

		redactor.addStored(JSON.parse(JSON.stringify(hashes)) as string[]);

		expect(redactor.redact('8f3a1b2c-9d4e, pass-w0rd%2B1')).toBe('[hidden], [hidden]');
		expect(JSON.stringify(hashes)).not.toMatch(/8f3a1b2c|5e6f7a8b9c|w0rd|operator/);
	});

	it('are different for each redactor, so that they tell nothing about equal addresses', () => {
		const [one, other] = [redactorOfAddress(ADDRESS), redactorOfAddress(ADDRESS)];

		expect(one.secretHashes).not.toEqual(other.secretHashes);
	});

	it('do not become more when the address is seen again', () => {
		const hashes = redactorOfAddress(ADDRESS).secretHashes;
		const redactor = new Redactor();
		redactor.addStored(hashes);

		redactor.addAddress(ADDRESS);

		expect(redactor.secretHashes.sort()).toEqual(hashes.sort());
	});
});

describe('Redactor: limits', () => {
	it.each([
		['20,000 characters whole', 'x'.repeat(20_000), 'x'.repeat(20_000)],
		['more up to the last word', `${'x '.repeat(10_000)}x`, `${'x '.repeat(10_000)}[hidden]`],
		['no half of a word', `x ${'y'.repeat(20_000)} z`, 'x [hidden]'],
		['nothing of 5 million addresses', 'wss://'.repeat(5_000_000), '[hidden]'],
	])('shows %s', (_label, text, shown) => {
		expect(new Redactor().redact(text)).toBe(shown);
	});

	it.each([
		['words', 'a '.repeat(10_000)],
		['backslashes', '\\'.repeat(20_000)],
		['escapes', 'secret' + '\\\\n%25%2541&amp;'.repeat(1_300)],
		['slashes', 'wss:' + '/'.repeat(19_000)],
	])('takes at most 300 ms for a text of %s', (_label, text) => {
		const redactor = new Redactor('secret-0123456789');
		for (let length = 1; length < 100; length++) {
			redactor.addAddress(`https://a.example/${'a-'.repeat(length)}/${'a'.repeat(length)}`);
		}
		const startedAt = performance.now();

		redactor.redact(text);

		expect(performance.now() - startedAt).toBeLessThan(300);
	});

	it.each([
		['text', 'lost wss://a.example', 'lost [hidden]'],
		[
			'data',
			{ code: 7, 'at wss://a.example': [{ reason: 'abcd1234' }, null] },
			{ code: 7, 'at [hidden]': [{ reason: '[hidden]' }, null] },
		],
		['nothing', undefined, undefined],
		[
			'much data, as text',
			['abcd1234', 'x '.repeat(10_000)],
			`["[hidden]","${'x '.repeat(9_993)}[hidden]`,
		],
	])('redacts %s', (_label, data, shown) => {
		expect(new Redactor('abcd1234').redactData(data)).toEqual(shown);
	});
});

import fc from 'fast-check';

import { Redactor } from '../../../nodes/service/redact';

const ADDRESS =
	'wss://operator:pass-w0rd+1@browsers.example.com:9222/devtools/browser/8f3a1b2c-9d4e?session=5e6f7a8b9c&short=1';

function redactorOfAddress(address: unknown, jobId?: string): Redactor {
	const redactor = new Redactor();
	redactor.addCdpUrl(address, jobId);
	return redactor;
}

describe('Redactor: the key', () => {
	it.each([
		['when it stands alone', 'sk+ab/1234=', '[hidden]'],
		['among words', 'the key sk+ab/1234= is old', 'the key [hidden] is old'],
		['glued to letters, twice', 'xsk+ab/1234=xsk+ab/1234=', 'x[hidden]x[hidden]'],
		['percent-encoded', 'to=sk%2Bab%2F1234%3D.', 'to=[hidden].'],
		['percent-encoded in lower case', 'to=sk%2bab%2f1234%3d.', 'to=[hidden].'],
		['in JSON', '"sk+ab/1234="', '"[hidden]"'],
		['in JSON with escaped slashes', '"sk+ab\\/1234="', '"[hidden]"'],
	])('is hidden %s', (_label, text, shown) => {
		expect(new Redactor(' sk+ab/1234=\n').redact(text)).toBe(shown);
	});

	it.each([
		['as it is', 'sk%2Flive-1', '[hidden]'],
		['encoded once more', 'sk%252Flive-1', '[hidden]'],
		['in JSON', String.raw`"say \"sk\" twice\\"`, '"[hidden]"', 'say "sk" twice\\'],
	])('that needs to be encoded is hidden %s', (_label, text, shown, key = 'sk%2Flive-1') => {
		expect(new Redactor(key).redact(text)).toBe(shown);
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
					redactor.addCdpUrl(address, 'job_1');

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

describe("Redactor: a browser's address", () => {
	it.each([
		['a user name', 'operator', '[hidden]'],
		['a password', 'with pass-w0rd+1', 'with [hidden]'],
		['an encoded password', 'with pass-w0rd%2B1', 'with [hidden]'],
		['a part of the path', 'browser 8f3a1b2c-9d4e.', 'browser [hidden].'],
		['a parameter', 'session=5e6f7a8b9c', 'session=[hidden]'],
		['a part within a word', 'x5e6f7a8b9cx', 'x[hidden]x'],
		['a part after an escaped line break', '"at\\n5e6f7a8b9c"', '"at\\n[hidden]"'],
	])('is hidden in parts: %s', (_label, text, shown) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(shown);
	});

	it.each([
		['a fragment', 'https://a.example/#token-12'],
		['a path parameter', 'https://a.example/x;token=token-12'],
		['JSON within the query', 'https://a.example/?launch={"token":"token-12"}'],
		['encoded JSON within the query', 'https://a.example/?l=%7B%22t%22%3A%22token-12%22'],
		['the 200th part', `https://a.example/${'part/'.repeat(199)}token-12`],
		['an encoded segment', 'https://a.example/x%20token-12/y'],
		['text that is no URL', ' token-12 '],
	])('is hidden wherever its secret stands: %s', (_label, address) => {
		expect(redactorOfAddress(address).redact('by token-12')).toBe('by [hidden]');
	});

	it('is hidden as a whole even if its parts are short', () => {
		const redactor = redactorOfAddress('http://a.example:9222/x1');

		expect(redactor.redact('at http://a.example:9222/x1/ now')).toBe('at [hidden]/ now');
	});

	it.each([
		['the host', 'browsers.example.com'],
		['an ordinary word', 'open devtools in the browser'],
		['a part of seven characters', 'short session'],
	])('is shown in its harmless parts: %s', (_label, text) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(text);
	});

	it.each([
		['as it is', 'https://example.com/history/run:8f3a1b2c3d?token=[hidden]'],
		['percent-encoded', 'https://example.com/history/run%3A8f3a1b2c3d?token=[hidden]'],
		['in JSON', '{"job_id":"run\\u003a8f3a1b2c3d","token":"[hidden]"}'],
	])("does not hide the job's own ID %s", (_label, shown) => {
		const redactor = redactorOfAddress(
			'wss://cdp.example.com/run:8f3a1b2c3d?token=5e6f7a8b9c',
			'run:8f3a1b2c3d',
		);

		expect(redactor.redact(shown.replace('[hidden]', '5e6f7a8b9c'))).toBe(shown);
	});

	it.each([
		['a part of the address', 'https://a.example/8f3a1b2c', '8f3a1b2c'],
		['a part and more', 'https://a.example/job-0-3f24e1b9?x=1', 'job-0-3f24e1b9-canceled'],
		['within a part', 'https://a.example/of-job-8f3a1b2c', '8f3a1b2c'],
		['a part that is encoded', 'https://a.example/run%3A8f3a%201b2c', 'run:8f3a 1b2c'],
		['the whole address', '8f3a1b2c', '8f3a1b2c'],
	])("does not hide the job's own ID if it is %s", (_label, address, jobId) => {
		const text = `Job ${jobId} failed, see https://app.example/history/${jobId}`;

		expect(redactorOfAddress(address, jobId).redact(text)).toBe(text);
	});

	it("does not hide the ID of a job that is a part of another job's address", () => {
		const redactor = redactorOfAddress('https://a.example/job-8f3a1b2c', 'job_1');
		redactor.addCdpUrl(undefined, 'job-8f3a1b2c');

		expect(redactor.redact('Job job-8f3a1b2c failed')).toBe('Job job-8f3a1b2c failed');
	});

	it.each([
		['known', 'http://a.example/8f3a1b2c', 'Job 8f3a1b2c: http://a.example/8f3a1b2c'],
		['unknown', 'x', 'Job 8f3a1b2c: ws://a.example/8f3a1b2c/1'],
	])("is hidden as a whole even if it contains the job's ID: %s", (_label, address, text) => {
		expect(redactorOfAddress(address, '8f3a1b2c').redact(text)).toBe('Job 8f3a1b2c: [hidden]');
	});

	it('is hidden with all of a secret that begins as another one', () => {
		const redactor = redactorOfAddress('https://a.example/token-12', 'job_1');
		redactor.addCdpUrl('https://a.example/token-12345', 'job_2');

		expect(redactor.redact('token-12345 token-12')).toBe('[hidden] [hidden]');
	});

	it.each(['5', 'e6', '5e6f7a8'])(
		'is hidden even if a part of a word is the ID of its job: %s',
		(id) => {
			expect(redactorOfAddress(ADDRESS, id).redact('session=5e6f7a8b9c')).toBe('session=[hidden]');
		},
	);

	it('does not show the key even if it is the ID of a job', () => {
		const redactor = new Redactor('sk-live-1');
		redactor.addCdpUrl('https://a.example/sk-live-1', 'sk-live-1');

		expect(redactor.redact('job sk-live-1')).toBe('job [hidden]');
	});

	it('is hidden if it is the latest one of a job or one that the user typed', () => {
		const redactor = new Redactor();
		redactor.addCdpUrl('https://a.example/typed-001');
		redactor.addCdpUrl('https://a.example/typed-002');
		redactor.addCdpUrl('https://a.example/token-001', 'job_1');
		redactor.addCdpUrl('https://a.example/token-002', 'job_1');
		redactor.addCdpUrl(undefined, 'job_1');
		redactor.addCdpUrl('https://a.example/other-001', 'job_2');

		expect(redactor.redact('typed-001 typed-002 token-001 token-002 other-001')).toBe(
			'[hidden] [hidden] token-001 [hidden] [hidden]',
		);
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

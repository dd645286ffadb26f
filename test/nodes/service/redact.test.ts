import fc from 'fast-check';

import { Redactor } from '../../../nodes/service/redact';

const TOKEN = '5e6f7a8b9c0d1e2f';
const ADDRESS = `https://operator:pass-w0rd-0123456789@browsers.example.com/8f3a1b2c-9d4e-4a5b?session=${TOKEN}&short=123456789012345&sig=Zm9v%2BYmFy%2Fcafe9#fragment-0123456789`;

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
		['as it is', `at ${ADDRESS} now`],
		['percent-encoded', `at ${encodeURIComponent(ADDRESS)} now`],
		['in JSON', `at ${ADDRESS.replaceAll('/', '\\/')} now`],
	])('is hidden as a whole %s', (_label, text) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe('at [hidden] now');
	});

	it.each([
		['a quotation mark', "wss://a.example/it's-secret"],
		['a backtick', 'wss://a.example/it`s-secret'],
		['few characters', 'http://b:9222'],
	])('is hidden as a whole with %s', (_label, address) => {
		expect(redactorOfAddress(address).redact(`at ${address} now`)).toBe('at [hidden] now');
	});

	it('is hidden without the punctuation after it', () => {
		const redactor = redactorOfAddress(ADDRESS);

		expect(redactor.redact(`It is ${ADDRESS}. (Or ${ADDRESS}), ok`)).toBe(
			'It is [hidden]. (Or [hidden]), ok',
		);
	});

	it.each([
		['a path', 'wss://a.example', 'wss://a.example/session/1?t=2'],
		['a path, percent-encoded', 'wss://a.example', 'wss%3A%2F%2Fa.example%2Fsession'],
		['a path, in JSON', 'wss://a.example', 'wss:\\/\\/a.example\\/session'],
		['a browser', 'http://a.example/devtools', 'http://a.example/devtools/browser/1a2b'],
	])('is hidden with what follows it in another address: %s', (_label, address, longer) => {
		expect(redactorOfAddress(address).redact(`at ${longer} now`)).toBe('at [hidden] now');
	});

	it.each([
		['by a token within a word', `x${TOKEN}x`, 'x[hidden]x'],
		['by an encoded value', 'by Zm9v%2BYmFy%2Fcafe9', 'by [hidden]'],
		['by a decoded value', 'by Zm9v+YmFy/cafe9', 'by [hidden]'],
	])('is hidden in the longer values of its query: %s', (_label, text, shown) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(shown);
	});

	it.each([
		['without a name', `https://a.example/x?${TOKEN}`],
		['after another question mark', `https://a.example/x?a=1&b=2?c=3&d=${TOKEN}`],
		['in text that is no URL', `a?b=${TOKEN}`],
	])('is hidden in a value of its query %s', (_label, address) => {
		expect(redactorOfAddress(address).redact(`by ${TOKEN}`)).toBe('by [hidden]');
	});

	it.each([
		['the host', 'browsers.example.com'],
		['a login', 'pass-w0rd-0123456789 of operator'],
		['a part of the path', '8f3a1b2c-9d4e-4a5b'],
		['a value of 15 characters', '123456789012345'],
		['the fragment', 'fragment-0123456789'],
	])('is shown in all other parts: %s', (_label, text) => {
		expect(redactorOfAddress(ADDRESS).redact(text)).toBe(text);
	});

	it.each([
		['a value of the query', `https://a.example/?job=${TOKEN}`, TOKEN],
		['a value with an encoded slash', `https://a.example/?job=job%2F${TOKEN}`, `job%2F${TOKEN}`],
		['a part of the path with an encoded slash', 'https://a.example/job%2F1d326', 'job%2F1d326'],
		['the whole address', TOKEN, TOKEN],
	])("does not hide the job's own ID if it is %s", (_label, address, jobId) => {
		const path = encodeURIComponent(jobId);
		const text = `Job ${jobId} failed, see https://app.example/history/${path}`;

		expect(redactorOfAddress(address, jobId).redact(text)).toBe(text);
	});

	it("does not hide the ID of a job that is a value in another job's address", () => {
		const redactor = redactorOfAddress(`https://a.example/?of=job-${TOKEN}`, 'job_1');
		redactor.addCdpUrl(undefined, `job-${TOKEN}`);

		expect(redactor.redact(`Job job-${TOKEN} failed`)).toBe(`Job job-${TOKEN} failed`);
	});

	it.each([
		['known', 'http://a.example/8f3a1b2c', 'Job 8f3a1b2c: http://a.example/8f3a1b2c'],
		['unknown', 'x', 'Job 8f3a1b2c: ws://a.example/8f3a1b2c/1'],
	])("is hidden as a whole even if it contains the job's ID: %s", (_label, address, text) => {
		expect(redactorOfAddress(address, '8f3a1b2c').redact(text)).toBe('Job 8f3a1b2c: [hidden]');
	});

	it('is hidden with all of a value that begins as another one', () => {
		const redactor = redactorOfAddress(`https://a.example/?t=${TOKEN}`, 'job_1');
		redactor.addCdpUrl(`https://a.example/?t=${TOKEN}345`, 'job_2');

		expect(redactor.redact(`${TOKEN}345 ${TOKEN}`)).toBe('[hidden] [hidden]');
	});

	it('does not show the key even if it is the ID of a job', () => {
		const redactor = new Redactor('sk-live-1');
		redactor.addCdpUrl('https://a.example/sk-live-1', 'sk-live-1');

		expect(redactor.redact('job sk-live-1')).toBe('job [hidden]');
	});

	it('is hidden if it is the latest one of a job or one that the user typed', () => {
		const redactor = new Redactor();
		const add = (name: string, jobId?: string) => {
			redactor.addCdpUrl(`https://a.example/?t=${name}-0123456789`, jobId);
		};
		add('typed-1');
		add('typed-2');
		add('first-1', 'job_1');
		add('later-1', 'job_1');
		redactor.addCdpUrl(undefined, 'job_1');
		add('other-1', 'job_2');

		const names = ['typed-1', 'typed-2', 'first-1', 'later-1', 'other-1'];
		const shown = names.filter((name) => redactor.redact(`${name}-0123456789`) !== '[hidden]');
		expect(shown).toEqual(['first-1']);
	});

	it.each([undefined, null, '', 7, 'running'])('is ignored if it is %j', (address) => {
		expect(redactorOfAddress(address).redact('running 7 jobs')).toBe('running 7 jobs');
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

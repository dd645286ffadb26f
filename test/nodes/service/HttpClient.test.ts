import type { ServiceErrorFacts, ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { connectClient, refusalOf } from '../../support/connectClient';
import { useServer, type ServerAnswer } from '../../support/useServer';
import { setServiceLimits } from '../../support/testRuntime';

const KEY = 'key-of-the-account-1234';
const CDP_URL = 'https://browser.example.com/devtools/browser/1a2b3c?token=s%C3%A9cret';

describe('an answer that is no success', () => {
	const server = useServer();
	afterEach(() => setServiceLimits());

	const client = async () => await connectClient({ baseUrl: server.url, apiKey: KEY });
	const factsOf = async (answer: ServerAnswer): Promise<ServiceErrorFacts> => {
		server.answers(answer);
		return (await refusalOf((await client()).getCreditBalance())).facts;
	};

	it.each<[number, ServiceErrorKind]>([
		[400, 'invalid'],
		[401, 'unauthorized'],
		[402, 'insufficientCredits'],
		[403, 'forbidden'],
		[404, 'notFound'],
		[405, 'rejected'],
		[408, 'timeout'],
		[409, 'rejected'],
		[410, 'rejected'],
		[422, 'invalid'],
		[429, 'rateLimited'],
		[500, 'serverError'],
		[502, 'serverError'],
		[503, 'serverError'],
		[504, 'serverError'],
		[301, 'redirect'],
		[302, 'redirect'],
		[304, 'redirect'],
		[308, 'redirect'],
	])('is told by its status, and asked for once: %i', async (statusCode, kind) => {
		const facts = await factsOf({ statusCode, body: { detail: 'No.', status_code: statusCode } });

		expect(facts).toMatchObject({ kind, statusCode });
		expect(server.arrivals).toHaveLength(1);
	});

	it.each([401, 402, 403, 404, 422, 429, 500, 503])(
		'is not sent a second time, which could start a second job: %i',
		async (statusCode) => {
			server.answers({ statusCode });

			const refusal = await refusalOf((await client()).startAgent({ directive: 'Go' }));

			expect(refusal.facts.statusCode).toBe(statusCode);
			expect(server.arrivals).toHaveLength(1);
		},
	);

	describe('says why', () => {
		it.each<[string, unknown, string | undefined]>([
			['the documented body', { detail: 'No such job', status_code: 400 }, 'No such job'],
			['a detail alone', { detail: 'No such job' }, 'No such job'],
			['a message', { message: 'No such job' }, 'No such job'],
			['an error', { error: 'No such job' }, 'No such job'],
			['a detail before a message', { message: 'Oh', detail: 'No such job' }, 'No such job'],
			['a detail that is no text, and a message', { detail: 7, message: 'Seven' }, 'Seven'],
			['plain text', 'No such job', 'No such job'],
			['broken JSON', '{"detail": "No su', '{"detail": "No su'],
			['several lines', { detail: 'No\n\n  such\tjob\u0000 ' }, 'No such job'],
			[
				'a web page',
				'<html><head><title> Bad\nGateway </title>',
				'a web page titled "Bad Gateway"',
			],
			['a web page without a title', '\n<!doctype html><p>Sorry', 'a web page'],
			['a web page with an empty title', '<title></title>', 'a web page'],
			['a detail that begins like a web page', { detail: '<width> is big' }, '<width> is big'],
			['no body', undefined, undefined],
			['an empty text', '', undefined],
			['an empty object', {}, undefined],
			['null', 'null', undefined],
			['an empty detail', { detail: '' }, undefined],
			['a detail that is null', { detail: null }, undefined],
			['a detail that is an object', { detail: { reason: 'x' } }, undefined],
			['a number', '42', undefined],
			['a list', ['No'], undefined],
		])('with %s', async (_label, body, detail) => {
			const facts = await factsOf({ statusCode: 400, body });

			expect(facts).toEqual({ kind: 'invalid', statusCode: 400, detail });
		});

		it.each<[string, unknown]>([
			['in one text', 'x'.repeat(5_000_000)],
			['in a detail', { detail: 'x'.repeat(5_000_000) }],
			['in a web page', `<html>${'x'.repeat(5_000_000)}`],
			['in a web page that never says its title', `<title>${'x'.repeat(5_000_000)}`],
			['in white space', { detail: ' '.repeat(5_000_000) }],
			['of control characters', { detail: '\u0001'.repeat(5_000_000) }],
			['in an address of a browser', { detail: `wss://${'x'.repeat(5_000_000)}` }],
		])('in 500 characters at most, out of 5 MB %s', async (_label, body) => {
			const { detail = '' } = await factsOf({ statusCode: 500, body });

			expect(detail.length).toBeLessThanOrEqual(500);
		});

		it('in 500 characters with a mark where it goes on', async () => {
			const { detail } = await factsOf({ statusCode: 500, body: { detail: 'x'.repeat(501) } });

			expect(detail).toBe(`${'x'.repeat(499)}…`);
		});
	});

	describe('names the places of a 422', () => {
		it.each<[string, unknown, unknown]>([
			[
				'of a field',
				[{ loc: ['body', 'browser_config', 'width'], msg: 'too small', type: 'value_error' }],
				[{ place: 'browser_config.width', reason: 'too small' }],
			],
			[
				'of an item of a list',
				[{ loc: ['body', 'tags', 0], msg: 'not text', type: 'type_error' }],
				[{ place: 'tags.0', reason: 'not text' }],
			],
			[
				'of the address',
				[{ loc: ['path', 'job_id'], msg: 'too long', type: 'value_error' }],
				[{ place: 'path.job_id', reason: 'too long' }],
			],
			[
				'of the whole body',
				[{ loc: ['body'], msg: 'missing', type: 'missing' }],
				[{ place: '', reason: 'missing' }],
			],
			[
				'of several fields',
				[
					{ loc: ['body', 'directive'], msg: 'missing', type: 'missing' },
					{ loc: ['body', 'initial_url'], msg: 'not text', type: 'type_error' },
				],
				[
					{ place: 'directive', reason: 'missing' },
					{ place: 'initial_url', reason: 'not text' },
				],
			],
			['in texts alone', ['too small'], [{ place: '', reason: 'too small' }]],
			['without a place', [{ msg: 'too small' }], [{ place: '', reason: 'too small' }]],
			[
				'with a place that is no list',
				[{ loc: 'width', msg: 'too small' }],
				[{ place: '', reason: 'too small' }],
			],
			['without a reason', [{ loc: ['body', 'width'] }], undefined],
			['of nothing', [], undefined],
			['as numbers and null', [7, null], undefined],
		])('%s', async (_label, detail, fieldErrors) => {
			const facts = await factsOf({ statusCode: 422, body: { detail } });

			expect(facts).toEqual({ kind: 'invalid', statusCode: 422, fieldErrors });
		});

		it('and leaves out what was sent, which may be secret', async () => {
			const facts = await factsOf({
				statusCode: 422,
				body: {
					detail: [
						{
							loc: ['body', 'cdp_url'],
							msg: 'not an address',
							type: 'value_error',
							input: 'hunter2',
							ctx: { error: 'hunter2' },
						},
					],
				},
			});

			expect(JSON.stringify(facts)).not.toContain('hunter2');
		});

		it('of 100,000 fields in no time', async () => {
			const detail = Array.from({ length: 100_000 }, (_, index) => ({
				loc: ['body', 'tags', index],
				msg: 'not text',
			}));
			server.answers({ statusCode: 422, body: { detail } });
			const began = performance.now();

			const refusal = await refusalOf((await client()).getCreditBalance());

			expect(refusal.facts.fieldErrors).toBeDefined();
			expect(performance.now() - began).toBeLessThan(5_000);
		});
	});

	describe('asks to be left alone', () => {
		it.each([
			['for seconds', '12', 12_000],
			['for a part of a second', '0.5', 500],
			['for no time', '0', 0],
			['for a time that has passed', '-5', 0],
			['until a date that has passed', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
			['in words', 'later', undefined],
			['with nothing', '', undefined],
		])('%s', async (_label, header, retryAfterMs) => {
			const facts = await factsOf({ statusCode: 429, headers: { 'Retry-After': header } });

			expect(facts.retryAfterMs).toBe(retryAfterMs);
		});

		it('until a date to come', async () => {
			const inAMinute = new Date(Date.now() + 60_000).toUTCString();

			const facts = await factsOf({ statusCode: 503, headers: { 'Retry-After': inAMinute } });

			expect(facts.retryAfterMs).toBeGreaterThan(55_000);
			expect(facts.retryAfterMs).toBeLessThanOrEqual(60_000);
		});

		it('or does not say', async () => {
			const facts = await factsOf({ statusCode: 429 });

			expect(facts).toEqual({ kind: 'rateLimited', statusCode: 429 });
		});
	});

	describe('never shows', () => {
		it.each([
			['the key', `Bearer ${KEY} is not known`],
			['the key in an address', `https://example.com/?key=${encodeURIComponent(KEY)}`],
			['the key many times', `${KEY} ${KEY}${KEY}`],
			['the key far behind', `${' '.repeat(19_990)}${KEY}`],
			['the address of a browser', `cannot connect to ${CDP_URL}`],
			['the address of a browser in quotes', JSON.stringify({ input: CDP_URL })],
			['the address of a browser in an address', `?to=${encodeURIComponent(CDP_URL)}`],
			['the address of another browser', 'try wss://other.example.com/devtools/s%C3%A9cret first'],
		])('%s, even when the service sends it back', async (_label, said) => {
			server.answers({ statusCode: 400, body: { detail: said } });

			const { facts, message } = await refusalOf(
				(await client()).startAgent({ directive: 'Go', cdp_url: CDP_URL }),
			);

			expect(message).toBe(facts.detail);
			expect(facts.detail ?? '').not.toMatch(/key-of|account|1234|s%C3%A9cret|1a2b3c/);
		});

		it('a secret in the place or the reason of a 422', async () => {
			server.answers({
				statusCode: 422,
				body: { detail: [{ loc: ['body', KEY], msg: `not an address: ${CDP_URL}` }] },
			});

			const { facts } = await refusalOf(
				(await client()).startAgent({ directive: 'Go', cdp_url: CDP_URL }),
			);

			expect(facts.fieldErrors).toEqual([
				{ place: '[hidden]', reason: 'not an address: [hidden]' },
			]);
		});

		it('a secret in an answer that cannot be read', async () => {
			server.answers({ body: `<title>Hello ${KEY}</title>` });

			const { facts } = await refusalOf((await client()).getCreditBalance());

			expect(facts.detail).toBe('a web page titled "Hello [hidden]"');
		});

		it("the browser's address that the service itself has told", async () => {
			const calls = await client();
			server.answers({ body: { status: 'running', cdp_url: 'https://b.example.com/tok3n' } });
			await calls.getJob('job_1');
			server.answers({ statusCode: 500, body: { detail: 'lost https://b.example.com/tok3n' } });

			const { facts } = await refusalOf(calls.getJob('job_1'));

			expect(facts.detail).toBe('lost [hidden]');
		});
	});
});

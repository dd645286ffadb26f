import type { ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { Redactor } from '../../../nodes/service/redact';
import { toStatusError } from '../../../nodes/service/responseError';

const NOW = Date.UTC(2026, 0, 1);

function factsOf(statusCode: number, body?: unknown, headers = {}) {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	const redactor = new Redactor('abcd1234');
	const response = { statusCode, headers, body };
	return toStatusError(response, redactor).facts;
}

const fieldError = (loc: unknown, msg: unknown = 'too small') => ({
	loc,
	msg,
	type: 'value_error',
});

describe('toStatusError', () => {
	it.each<[number, ServiceErrorKind]>([
		[200, 'unreadable'],
		[299, 'unreadable'],
		[300, 'redirect'],
		[301, 'redirect'],
		[302, 'redirect'],
		[304, 'redirect'],
		[308, 'redirect'],
		[399, 'redirect'],
		[400, 'invalid'],
		[401, 'unauthorized'],
		[402, 'insufficientCredits'],
		[403, 'forbidden'],
		[404, 'foreignNotFound'],
		[405, 'rejected'],
		[408, 'timeout'],
		[409, 'rejected'],
		[410, 'rejected'],
		[422, 'invalid'],
		[429, 'rateLimited'],
		[499, 'rejected'],
		[500, 'serverError'],
		[502, 'serverError'],
		[503, 'serverError'],
		[504, 'serverError'],
		[NaN, 'unreadable'],
	])('of status %i is %s', (statusCode, kind) => {
		expect(factsOf(statusCode)).toEqual({ kind, statusCode });
	});

	it.each<[string, unknown, ServiceErrorKind]>([
		["the service's own", { detail: 'Job not found' }, 'notFound'],
		["a gateway's page", '<title>404</title>', 'foreignNotFound'],
		["a gateway's JSON", { message: 'no Route matched' }, 'foreignNotFound'],
		['an empty one', '', 'foreignNotFound'],
	])('tells a 404 of the service from any other: %s', (_label, body, kind) => {
		expect(factsOf(404, body).kind).toBe(kind);
	});

	describe('has as detail', () => {
		it.each<[string, unknown, string | undefined]>([
			['the one of ErrorResponse', { detail: 'No such job', status_code: 400 }, 'No such job'],
			['a message', { message: 'No such job' }, 'No such job'],
			['an error', { error: 'No such job' }, 'No such job'],
			['a detail before a message', { message: 'Oh', detail: 'No such job' }, 'No such job'],
			['a message if the detail is no text', { detail: 7, message: 'Seven' }, 'Seven'],
			['a message if the detail is empty', { detail: '', message: 'Seven' }, 'Seven'],
			['plain text', 'No such job', 'No such job'],
			['broken JSON', '{"detail": "No su', '{"detail": "No su'],
			['one line of several', { detail: 'No\n\n  such\tjob\u0000 ' }, 'No such job'],
			['no markup', { detail: '<width> is big' }, '‹width› is big'],
			['no secret', { detail: 'Bearer abcd1234 is unknown' }, 'Bearer [hidden] is unknown'],
			['500 characters', { detail: 'x '.repeat(2_500_000) }, `${'x '.repeat(249)}x…`],
			[
				'the title of a web page',
				'\n<html><Title a="b"> Bad\nGateway </title>',
				'a web page titled "Bad Gateway"',
			],
			[
				'no part of a secret that is cut with the title',
				`<title>${'x'.repeat(196)} abcd1234</title>`,
				`a web page titled "${'x'.repeat(196)} [hi"`,
			],
			['"a web page" without a title', ' <!doctype html><p>Sorry', 'a web page'],
			['"a web page" with an empty title', '<title> </title>', 'a web page'],
			[
				'"a web page" whose title is far behind',
				`<html>${' '.repeat(5_000)}<title>A</title>`,
				'a web page',
			],
			[
				'200 characters of a title',
				`<title>${'x'.repeat(300)}`,
				`a web page titled "${'x'.repeat(200)}"`,
			],
			['text that mentions a page', 'see <title>A</title>', 'see ‹title›A‹/title›'],
			['nothing of an empty text', '', undefined],
			['nothing of an empty object', {}, undefined],
			['nothing of null', null, undefined],
			['nothing of a blank detail', { detail: ' ' }, undefined],
			['nothing of a detail that is null', { detail: null }, undefined],
			['nothing of a detail that is an object', { detail: { reason: 'x' } }, undefined],
			['nothing of a number', 42, undefined],
			['nothing of a list', ['No'], undefined],
		])('%s', (_label, body, detail) => {
			expect(factsOf(400, body)).toEqual({ kind: 'invalid', statusCode: 400, detail });
		});
	});

	describe('has as detail of a 422', () => {
		it.each<[string, unknown, string | undefined]>([
			[
				'the path without "body"',
				[fieldError(['body', 'browser_config', 'width'])],
				"'browser_config.width': too small",
			],
			['an index', [fieldError(['body', 'tags', 0])], "'tags.0': too small"],
			['another place than the body', [fieldError(['path', 'job_id'])], "'path.job_id': too small"],
			['the whole body', [fieldError(['body'])], 'too small'],
			['"body" within a path', [fieldError(['a', 'body'])], "'a.body': too small"],
			[
				'several',
				[fieldError(['body', 'a'], 'no'), fieldError(['body', 'b'], 'nor')],
				"'a': no; 'b': nor",
			],
			['texts', ['too small', ''], 'too small'],
			['one without a path', [{ msg: 'too small' }], 'too small'],
			['one whose path is a text', [fieldError('width')], 'too small'],
			['one whose path is null', [fieldError(null)], 'too small'],
			[
				'the names and numbers of an odd path',
				[fieldError(['body', null, { a: 1 }, ['b'], true, 'c', 2])],
				"'c.2': too small",
			],
			[
				'ten parts of a deep path',
				[fieldError(Array(100_000).fill('a'))],
				"'a.a.a.a.a.a.a.a.a.a': too small",
			],
			[
				'no secret and no markup',
				[fieldError(['abcd1234', '<b>'], 'not an address: abcd1234 <b>')],
				"'[hidden].‹b›': not an address: [hidden] ‹b›",
			],
			['nothing of a missing reason', [{ loc: ['body', 'width'] }], undefined],
			['nothing of a reason that is no text', [fieldError(['body'], { a: 1 })], undefined],
			['nothing of an empty list', [], undefined],
			['nothing of a number and null', [7, null], undefined],
			[
				'five of many',
				Array.from({ length: 100_000 }, (_, index) => fieldError(['body', index], 'no')),
				"'0': no; '1': no; '2': no; '3': no; '4': no",
			],
		])('%s', (_label, detail, text) => {
			expect(factsOf(422, { detail })).toEqual({ kind: 'invalid', statusCode: 422, detail: text });
		});

		it('500 characters at most', () => {
			const detail = [fieldError(['p'.repeat(500)], 'r'.repeat(500))];

			expect(factsOf(422, { detail }).detail).toHaveLength(500);
		});

		it('nothing that was sent, which may be secret', () => {
			const entry = { ...fieldError(['body', 'cdp_url']), input: 'hunter2', ctx: { x: 'hunter2' } };

			expect(JSON.stringify(factsOf(422, { detail: [entry] }))).not.toContain('hunter2');
		});
	});

	it.each<[string, unknown, number | undefined]>([
		['seconds', '12', 12_000],
		['part of a second', '0.5', 500],
		['0', '0', 0],
		['a negative number', '-5', 0],
		['an hour', '3600', 3_600_000],
		['more than an hour, which is a mistake', '86400', 3_600_000],
		['a number without end', '1e999', 3_600_000],
		['a date', new Date(NOW + 90_000).toUTCString(), 90_000],
		['a date that has passed', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
		['a date in a hundred years', 'Wed, 21 Oct 2115 07:28:00 GMT', 3_600_000],
		['a word', 'later', undefined],
		['an empty text', '', undefined],
		['space', '  ', undefined],
		['a list', ['12'], undefined],
		['nothing', undefined, undefined],
	])('reads Retry-After of %s', (_label, header, retryAfterMs) => {
		expect(factsOf(429, undefined, { 'retry-after': header }).retryAfterMs).toBe(retryAfterMs);
	});
});

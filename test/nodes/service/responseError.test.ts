import type { ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { Redactor } from '../../../nodes/service/redact';
import { toStatusError } from '../../../nodes/service/responseError';

function factsOf(statusCode: number, body?: unknown, headers = {}) {
	return toStatusError({ statusCode, headers, body }, new Redactor('abcd1234')).facts;
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
		[308, 'redirect'],
		[399, 'redirect'],
		[400, 'rejected'],
		[401, 'unauthorized'],
		[402, 'insufficientCredits'],
		[403, 'forbidden'],
		[404, 'notFound'],
		[408, 'timeout'],
		[409, 'rejected'],
		[410, 'notFound'],
		[422, 'rejected'],
		[429, 'rateLimited'],
		[499, 'rejected'],
		[500, 'serverError'],
		[504, 'serverError'],
		[999, 'unreadable'],
	])('of status %i is %s', (statusCode, kind) => {
		expect(factsOf(statusCode)).toMatchObject({ kind, statusCode });
	});

	it.each<[string, unknown, boolean]>([
		['an ErrorResponse', { detail: 'Job not found', status_code: 404 }, true],
		['a detail alone', { detail: 'Not Found' }, true],
		['field errors', { detail: [fieldError(['body'])] }, true],
		['an ApiResponse that reports an error', { status: 'error', message: 'No' }, true],
		["a gateway's page", '<title>404</title>', false],
		["a gateway's JSON", { message: 'no Route matched' }, false],
		['a list', [{ detail: 'No' }], false],
		['an empty body', '', false],
		['a body that could not be read', undefined, false],
	])('tells who responded: %s', (_label, body, isFromService) => {
		const errors = [401, 404, 503].map((statusCode) => factsOf(statusCode, body));

		expect(errors.map((facts) => facts.isFromService)).toEqual(Array(3).fill(isFromService));
	});

	it.each<[string, unknown, string | undefined]>([
		['the one of ErrorResponse', { detail: 'No such job', status_code: 400 }, 'No such job'],
		['a message', { message: 'No such job' }, 'No such job'],
		['an error', { error: 'No such job' }, 'No such job'],
		['a detail before a message', { message: 'Oh', detail: 'No such job' }, 'No such job'],
		['a message if the detail is no text', { detail: 7, message: 'Seven' }, 'Seven'],
		['a message if the detail is empty', { detail: '', message: 'Seven' }, 'Seven'],
		['plain text', 'No such job', 'No such job'],
		['safe text', { detail: 'No\n\nBearer abcd1234 <b>' }, 'No Bearer [hidden] ‹b›'],
		['500 characters', { detail: 'x '.repeat(2_500_000) }, `${'x '.repeat(249)}x…`],
		['nothing of a web page', ' <!doctype html><title>abcd1234</title>', 'a web page'],
		['text that mentions a page', 'see <title>A</title>', 'see ‹title›A‹/title›'],
		['nothing of an empty text', '', undefined],
		['nothing of null', null, undefined],
		['nothing of a blank detail', { detail: ' ' }, undefined],
		[
			'a detail that is an object, as JSON',
			{ detail: { code: 7, in: ['x'] } },
			'{"code":7,"in":["x"]}',
		],
		['a detail that is a list, as JSON', { detail: ['No', 7] }, '["No",7]'],
		['nothing of a list', ['No'], undefined],
	])('has as detail %s', (_label, body, detail) => {
		expect(factsOf(400, body).detail).toBe(detail);
	});

	it.each<[string, unknown[], string | undefined]>([
		[
			'the paths without "body"',
			[fieldError(['body', 'browser_config', 'width']), fieldError(['body', 'tags', 0], 'no')],
			"'browser_config.width': too small; 'tags.0': no",
		],
		['another place than the body', [fieldError(['path', 'body'])], "'path.body': too small"],
		['the whole body', [fieldError(['body'])], 'too small'],
		['five of 100,000', Array<unknown>(100_000).fill({ msg: 'no' }), 'no; no; no; no; no'],
		['one whose path is null', [fieldError(null)], 'too small'],
		[
			'the names and numbers of an odd path',
			[fieldError(['body', null, { toString: 1 }, ['b'], true, 'c', 2])],
			"'c.2': too small",
		],
		[
			'safe text',
			[fieldError(['abcd1234', '<b>'], 'not an address: abcd1234 <b>')],
			"'[hidden].‹b›': not an address: [hidden] ‹b›",
		],
		['500 characters', [fieldError(['p'], 'r'.repeat(600))], `'p': ${'r'.repeat(494)}…`],
		[
			'nothing that was sent, which may be secret',
			[{ ...fieldError(['cdp_url']), input: 'hunter2' }],
			"'cdp_url': too small",
		],
		['a list without a reason, as JSON', [7, null, 'no'], '[7,null,"no"]'],
		['nothing that was sent beside another entry', [{ input: 'hunter2', code: 7 }], '[{"code":7}]'],
	])('has as detail of a 422 %s', (_label, detail, text) => {
		expect(factsOf(422, { detail })).toMatchObject({ kind: 'rejected', detail: text });
	});

	it.each<[string, unknown, number | undefined]>([
		['seconds', '12', 12_000],
		['0', '0', 0],
		['a day', '86400', 86_400_000],
		['a date', 'Wed, 21 Oct 2026 07:28:05 GMT', 5_000],
		['a date that has passed', 'Wed, 21 Oct 2026 07:00:00 GMT', 0],
		['a date in a day', 'Thu, 22 Oct 2026 07:28:00 GMT', 86_400_000],
	])('reads Retry-After of %s', (_label, header, retryAfterMs) => {
		const headers = { 'retry-after': header, date: 'Wed, 21 Oct 2026 07:28:00 GMT' };

		expect(factsOf(429, undefined, headers).retryAfterMs).toBe(retryAfterMs);
	});

	it.each([
		['a longer', '3600', 120_000],
		['a shorter', '12', 12_000],
	])('counts %s Retry-After as the limit at most', (_label, header, retryAfterMs) => {
		const response = { statusCode: 429, headers: { 'retry-after': header }, body: undefined };

		const { facts } = toStatusError(response, new Redactor(), 120_000);

		expect(facts.retryAfterMs).toBe(retryAfterMs);
	});

	it.each<[string, unknown, string?]>([
		['more than a day', '86401'],
		['a date in more than a day', 'Thu, 22 Oct 2026 07:28:01 GMT'],
		['part of a second', '0.5'],
		['a negative number', '-5'],
		['a hexadecimal number', '0x10'],
		['an exponent', '1e3'],
		['infinity', 'Infinity'],
		['digits beyond all numbers', '9'.repeat(400)],
		['a date in another form', '2026-10-21T07:28:05Z'],
		['a date without a date of the response', 'Wed, 21 Oct 2026 07:28:05 GMT', ''],
		['no date', 'Wed, 71 Oct 2026 07:28:05 GMT'],
		['space', '  '],
		['a list', ['12']],
		['nothing', undefined],
	])('ignores Retry-After of %s', (...given) => {
		const [, header, date = 'Wed, 21 Oct 2026 07:28:00 GMT'] = given;

		expect(factsOf(429, undefined, { 'retry-after': header, date }).retryAfterMs).toBeUndefined();
	});
});

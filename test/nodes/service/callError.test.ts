import { ExpressionError, NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';

import { configurationError } from '../../../nodes/errors/NodeFailure';
import type { ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { toConnectionError, toStatusError } from '../../../nodes/service/callError';
import { Redactor } from '../../../nodes/service/redact';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { agentNode } from '../../support/runNode';
import { testClock } from '../../support/testClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

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
		[300, 'redirect'],
		[399, 'redirect'],
		[400, 'rejected'],
		[404, 'notFound'],
		[408, 'timeout'],
		[410, 'notFound'],
		[429, 'rateLimited'],
		[499, 'rejected'],
		[500, 'serverError'],
		[999, 'unreadable'],
	])('of status %i is %s', (statusCode, kind) => {
		expect(factsOf(statusCode)).toMatchObject({ kind, statusCode });
	});

	it.each<[string, unknown, boolean]>([
		['an ErrorResponse', { detail: 'Job not found', status_code: 404 }, true],
		['an ApiResponse that reports an error', { status: 'error', message: 'No' }, true],
		["a gateway's page", '<title>404</title>', false],
		["a gateway's JSON", { message: 'no Route matched' }, false],
		['a list', [{ detail: 'No' }], false],
		['an empty body', '', false],
	])('tells who responded: %s', (_label, body, isFromService) => {
		const errors = [401, 404, 503].map((statusCode) => factsOf(statusCode, body));

		expect(errors.map((facts) => facts.isFromService)).toEqual(Array(3).fill(isFromService));
	});

	it.each<[string, unknown, string | undefined]>([
		['the one of ErrorResponse', { detail: 'No such job', status_code: 400 }, 'No such job'],
		['all else as JSON', { message: 'No such job', id: 7 }, '{"message":"No such job","id":7}'],
		['a detail before all else', { message: 'Oh', detail: 'No such job' }, 'No such job'],
		['all else if the detail is empty', { detail: '', title: 'Seven' }, '{"title":"Seven"}'],
		['a list of errors', { errors: [{ title: 'No' }] }, '{"errors":[{"title":"No"}]}'],
		['an error in an error', { error: { message: 'No' } }, '{"error":{"message":"No"}}'],
		['nothing of null', { a: null, b: { c: null, d: [null, 1] } }, '{"b":{"d":[1]}}'],
		[
			'no secret',
			{ cdp_url: 'wss://b.example/7', data: { input: 'hunter2', id: 'j' } },
			'{"data":{"id":"j"}}',
		],
		['the beginning of each text', { text: 'y'.repeat(101) }, `{"text":"${'y'.repeat(100)}"}`],
		['no half of a key', { text: `${'y'.repeat(96)}abcd1234` }, `{"text":"${'y'.repeat(96)}[hid"}`],
		[
			'the beginning of much',
			{ list: Array(100_000).fill('no') },
			expect.stringMatching(/^.{499}…$/),
		],
		['plain text', 'No such job', 'No such job'],
		['safe text', { detail: 'No\n\nBearer abcd1234 <b>' }, 'No Bearer [hidden] ‹b›'],
		['500 characters', { detail: 'x '.repeat(2_500_000) }, `${'x '.repeat(249)}x…`],
		['nothing of a web page', ' <!doctype html><title>abcd1234</title>', 'a web page'],
		['nothing of an empty text', '', undefined],
		['nothing of a blank detail', { detail: ' ' }, undefined],
		['an object, as JSON', { detail: { code: 7, in: ['x'] } }, '{"detail":{"code":7,"in":["x"]}}'],
		['a list', ['No'], '["No"]'],
		['nothing of an empty object', {}, undefined],
	])('has as detail %s', (_label, body, detail) => {
		expect(factsOf(400, body).detail).toEqual(detail);
	});

	it.each([
		['objects', '{"a":', '}'],
		['lists', '[', ']'],
	])('has as detail the beginning of %s in each other, however deep', (_label, open, close) => {
		const text = `${open.repeat(100_000)}${JSON.stringify('no')}${close.repeat(100_000)}`;
		const response = { statusCode: 300, headers: {}, body: JSON.parse(text) as unknown, text };

		const { detail } = toStatusError(response, new Redactor('')).facts;

		expect(detail).toHaveLength(500);
	});

	it('has as detail all digits of the numbers in the response', () => {
		const text = '{"id": 12345678901234567890, "a": [-90071992547409931, 1.5e300, 7], "s": "123"}';
		const response = { statusCode: 400, headers: {}, body: JSON.parse(text) as unknown, text };

		const { detail } = toStatusError(response, new Redactor('')).facts;

		expect(detail).toBe(
			'{"id":12345678901234567890,"a":[-90071992547409931,1.5e+300,7],"s":"123"}',
		);
	});

	it.each<[string, unknown[], string | undefined]>([
		[
			'the paths without "body"',
			[fieldError(['body', 'config', 'width']), fieldError(['body', 'tags', 0], 'no')],
			"'config.width': too small; 'tags.0': no",
		],
		['another place than the body', [fieldError(['path', 'body'])], "'path.body': too small"],
		['five of 100,000', Array<unknown>(100_000).fill({ msg: 'no' }), 'no; no; no; no; no'],
		[
			'the names of an odd path',
			[fieldError(['body', null, ['b'], true, 'c', 2])],
			"'c.2': too small",
		],
		['safe text', [fieldError(['<b>'], 'not an abcd1234')], "'‹b›': not an [hidden]"],
		['a list without a reason, as JSON', [7, null, 'no'], '{"detail":[7,"no"]}'],
		[
			'nothing that was sent beside another entry',
			[{ input: 'hunter2', code: 7 }],
			'{"detail":[{"code":7}]}',
		],
	])('has as detail of a 422 %s', (_label, detail, text) => {
		expect(factsOf(422, { detail })).toMatchObject({ kind: 'rejected', detail: text });
	});

	it.each<[string, unknown, number | undefined]>([
		['seconds', '12', 12_000],
		['a day', '86400', 86_400_000],
		['more than a day', '86401', undefined],
		['part of a second', '0.5', undefined],
		['an exponent', '1e3', undefined],
		['a date', 'Wed, 21 Oct 2026 07:28:05 GMT', 5_000],
		['a date that has passed', 'Wed, 21 Oct 2026 07:00:00 GMT', 0],
		['a date in another form', '2026-10-21T07:28:05Z', undefined],
		['no date', 'Wed, 71 Oct 2026 07:28:05 GMT', undefined],
		['a list', ['12'], undefined],
		['nothing', undefined, undefined],
	])('reads Retry-After of %s', (_label, header, retryAfterMs) => {
		const headers = { 'retry-after': header, date: 'Wed, 21 Oct 2026 07:28:00 GMT' };

		expect(factsOf(429, undefined, headers).retryAfterMs).toBe(retryAfterMs);
	});

	it('ignores Retry-After of a date without a date of the response', () => {
		const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT' };

		expect(factsOf(429, undefined, headers).retryAfterMs).toBeUndefined();
	});

	it.each([
		['a longer', '3600', 120_000],
		['a shorter', '12', 12_000],
	])('counts %s Retry-After as the limit at most', (_label, header, retryAfterMs) => {
		const response = { statusCode: 429, headers: { 'retry-after': header }, body: undefined };

		const { facts } = toStatusError(response, new Redactor(), 120_000);

		expect(facts.retryAfterMs).toBe(retryAfterMs);
	});
});

/** An error of Node.js; `syscall` is what the system was asked for. */
function errorWith(code: unknown, syscall?: string, message = 'It did not work') {
	return Object.assign(new Error(message), { code, syscall });
}

describe('toConnectionError', () => {
	it.each([
		['ENOTFOUND', 'unreachable'],
		['EAI_AGAIN', 'unreachable'],
		['ECONNREFUSED', 'unreachable'],
		['UNABLE_TO_GET_ISSUER_CERT', 'unreachable'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable'],
		['SELF_SIGNED_CERT_IN_CHAIN', 'unreachable'],
		['CERT_HAS_EXPIRED', 'unreachable'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable'],
		['ETIMEDOUT', 'timeout'],
		['ESOCKETTIMEDOUT', 'timeout'],
		['EPIPE', 'connectionLost'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'connectionLost'],
	])('takes %s for %s, and has its message and code', (code, kind) => {
		expect(toConnectionError(errorWith(code))).toEqual({
			kind,
			code,
			detail: `It did not work (${code})`,
		});
	});

	it.each(['ERR_CANCELED', 'ECONNABORTED'])('has no detail of our own limit: %s', (code) => {
		expect(toConnectionError(errorWith(code, undefined, 'canceled'))).toEqual({ kind: 'timeout' });
	});

	it.each([
		['ECONNRESET', 'read', 'connectionLost'],
		['ECONNRESET', 'connect', 'unreachable'],
		['EAI_FAIL', 'getaddrinfo', 'unreachable'],
	])('takes %s at %s for %s', (code, syscall, kind) => {
		expect(toConnectionError(errorWith(code, syscall)).kind).toBe(kind);
	});

	const REFUSED = errorWith('ECONNREFUSED');

	it.each([
		["n8n's error", new NodeApiError(agentNode({}), REFUSED as never)],
		['an error without a code', new Error('No', { cause: REFUSED })],
		['a general code', Object.assign(errorWith('ERR_NETWORK'), { cause: REFUSED })],
	])('finds the code within %s', (_label, error) => {
		expect(toConnectionError(error)).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
	});

	it('has the last error with a code if there was one for each address of a host', () => {
		const errors = [
			errorWith('EHOSTUNREACH', 'connect', 'connect EHOSTUNREACH ::1:443'),
			errorWith('ECONNREFUSED', 'connect', 'connect ECONNREFUSED 127.0.0.1:443'),
			new Error('No'),
		];
		const error = Object.assign(new AggregateError(errors), { code: 'EHOSTUNREACH' });

		expect(toConnectionError(new Error('', { cause: error }))).toEqual({
			kind: 'unreachable',
			code: 'ECONNREFUSED',
			detail: 'connect ECONNREFUSED 127.0.0.1:443',
		});
	});

	const BLOCKED = 'This address is blocked';
	const wrapped = (cause: Error) => new NodeApiError(agentNode({}), cause as never);

	it.each([
		["n8n's error for users", new UserError(BLOCKED)],
		["n8n's error of the node", new NodeOperationError(agentNode({}), BLOCKED)],
		['an error of an expression', new ExpressionError(BLOCKED)],
		['an error of the credential', configurationError(BLOCKED, 'Another address')],
	])('takes %s for a request that was not sent', (_label, error) => {
		for (const thrown of [error, wrapped(error)]) {
			expect(toConnectionError(thrown)).toEqual({ kind: 'notSent', detail: BLOCKED });
		}
	});

	it.each([
		['an error without a code', new Error('CONNECT was dropped'), 'CONNECT was dropped'],
		["n8n's error around one", wrapped(new Error('CONNECT was dropped')), 'CONNECT was dropped'],
		[
			"n8n's error of the node around one",
			new NodeOperationError(agentNode({}), new Error('CONNECT was dropped')),
			'CONNECT was dropped',
		],
		['nothing', undefined, 'undefined'],
	])('takes %s for a connection that was lost', (_label, error, detail) => {
		expect(toConnectionError(error)).toEqual({ kind: 'connectionLost', detail });
	});
});

describe('A start on the network', () => {
	const server = useServer();
	const secureServer = useServer({ tls: true });
	beforeEach(() => setClock(testClock()));
	afterAll(() => setClock());

	it.each<[string, () => string, string]>([
		['the connection is refused', () => 'http://127.0.0.1:1', 'ECONNREFUSED'],
		['the certificate is not trusted', () => secureServer.url, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	])('was not processed if %s', async (_label, url, code) => {
		const error = await startErrorAt(url());

		expect(error.facts).toMatchObject({ kind: 'unreachable', code });
		expect(error.provesNothingWasDone).toBe(true);
		expect(secureServer.arrivals).toEqual([]);
	});

	it('says in words that a port does not speak TLS', async () => {
		const { facts } = await startErrorAt(server.url.replace('http:', 'https:'));

		expect(facts).toMatchObject({
			kind: 'connectionLost',
			detail: 'the port responded without TLS (EPROTO)',
		});
	});

	it.each([
		['answered with something other than HTTP', '220 mail.example.com ESMTP\r\n'],
		[
			'cut within a response of unknown length',
			'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"job_id": "job_1"}\r\n',
		],
	])('is unclear if the connection is %s', async (_label, sent) => {
		server.answers((_arrival, { socket }) => socket?.end(sent, () => socket.destroy()));

		const error = await startErrorAt(server.url);

		expect(error.kind).toBe('connectionLost');
		expect(error.provesNothingWasDone).toBe(false);
		expect(server.arrivals).toHaveLength(1);
	});
});

async function startErrorAt(baseUrl: string) {
	const client = await connectClient({ baseUrl });
	return await serviceErrorOf(client.startJob(toAgentStart({ directive: 'Go' }), { group: '1' }));
}

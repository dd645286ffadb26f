import fc, { type Arbitrary } from 'fast-check';

import {
	FAULTS,
	LARGE_SHAPES,
	TOKENS,
	type Body,
	type Endpoint,
	type Reply,
	type ServiceScript,
} from '../FuzzCase';
import { hostileText, hostileValue, mostly, someOf } from './values';

const STATUSES = [
	'provisioning',
	'running',
	'paused',
	'completed',
	'failed',
	'user_taken_over',
	'cancelled',
];
const HTTP_STATUSES = [
	...[
		100, 101, 102, 103, 199, 201, 202, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 305, 307,
	],
	...[
		308, 399, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 418, 422, 425, 429, 431, 451, 499,
	],
	...[500, 501, 502, 503, 504, 511, 599, 600, 999],
];
const KB = 1024;
const LARGE_BYTES = [64 * KB, 1024 * KB, 6 * 1024 * KB];
const BOMB_BYTES = 100 * 1024 * KB;

/** The IDs that jobs may get: the last ones are no IDs. */
const jobId = fc.oneof(
	{ weight: 12, arbitrary: fc.integer({ min: 1, max: 99 }).map((number) => `job_${number}`) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			'j'.repeat(200),
			'__proto__',
			'constructor',
			'canceled',
			'a,b',
			'ü😀',
			'a<b>',
			'x\u202ey',
		),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom<unknown>(
			'',
			'.',
			'..',
			'a b',
			'a/b',
			'a\nb',
			'j'.repeat(201),
			null,
			7,
			1.5,
			{},
			[],
		),
	},
);

const link = mostly(
	fc.constantFrom(`${TOKENS.fileHost}/files/1`, `${TOKENS.service}/files/2`),
	fc.constantFrom(
		'',
		'files/3',
		'//127.0.0.1:1/x',
		'http://127.0.0.1:1/',
		'file:///etc/passwd',
		'https://',
		`${TOKENS.fileHost}/files/?k=${TOKENS.key}`,
	),
);

const textOrValue = mostly(hostileText, hostileValue, 2);

const jobFields = {
	output: mostly(textOrValue, fc.constantFrom('{"a":1}', '```json\n[1]\n```'), 3),
	error: textOrValue,
	credits_used: mostly(fc.nat(100), hostileValue),
	live_url: mostly(fc.constant('https://live.example/1'), hostileValue),
	history_url: mostly(fc.constant('https://history.example/1'), hostileValue),
	cdp_url: mostly(fc.constant(TOKENS.cdpUrl), hostileValue),
	created_at: mostly(fc.constant('2026-01-01T00:00:00Z'), hostileValue),
	updated_at: mostly(fc.constant('2026-01-01T00:01:00Z'), hostileValue),
	job_id: jobId,
};

const job = fc
	.tuple(mostly(fc.constantFrom(...STATUSES), textOrValue, 9), someOf(jobFields))
	.map(([status, fields]) => ({ ...fields, status }));

const started = fc
	.tuple(
		jobId,
		mostly(fc.constant('running'), textOrValue),
		someOf({
			...jobFields,
			polling_url: textOrValue,
			user_id: textOrValue,
			workflow_id: textOrValue,
			conversation_id: textOrValue,
		}),
	)
	.map(([job_id, status, fields]) => ({ ...fields, job_id, status }));

const file = someOf({
	filename: mostly(fc.constantFrom('a.pdf', 'b.csv'), textOrValue, 2),
	download_url: mostly(link, hostileValue),
	expires_in: mostly(fc.constant(60), hostileValue),
});

const files = fc.record({
	job_id: jobId,
	files: mostly(
		fc.array(mostly(file, hostileValue), { maxLength: 4 }),
		fc
			.constantFrom(20, 1_000, 1_001)
			.map((count) =>
				Array.from({ length: count }, () => ({ filename: 'same.txt', download_url: '' })),
			),
	),
});

const balance = someOf({
	plan: textOrValue,
	unlimited: mostly(fc.boolean(), hostileValue),
	credit_balance: mostly(fc.nat(500), hostileValue),
	next_reset: textOrValue,
	message: textOrValue,
});

const jobList = fc.array(mostly(fc.oneof(jobId, fc.record({ job_id: jobId })), hostileValue), {
	maxLength: 4,
});

const answer = mostly(
	someOf({
		status: fc.constantFrom('success', 'error'),
		message: textOrValue,
		data: hostileValue,
		error: textOrValue,
	}),
	hostileValue,
);

/** What each endpoint says when it means well. */
const DATA: Record<Endpoint, Arbitrary<unknown>> = {
	start: started,
	status: job,
	pause: answer,
	resume: answer,
	files,
	balance,
	health: mostly(fc.constant({ status: 'ok' }), hostileValue),
	download: hostileText,
	list: jobList,
};

const detail = fc.oneof(
	fc.record({ detail: textOrValue }),
	fc.record({ message: textOrValue }),
	fc.record({
		detail: fc.array(
			fc.oneof(
				someOf({
					loc: mostly(
						fc.array(
							fc.oneof(fc.constantFrom('body', 'browser_config', 'width', 0), hostileValue),
							{ maxLength: 4 },
						),
						hostileValue,
					),
					msg: textOrValue,
					type: textOrValue,
				}),
				hostileValue,
			),
			{ maxLength: 25 },
		),
	}),
);

const page = fc
	.tuple(hostileText, hostileText)
	.map(([title, text]) => `<html><title>${title}</title><body>${text}</body></html>`);

const largeBody: Arbitrary<Body> = fc.record({
	kind: fc.constant('large' as const),
	shape: fc.constantFrom(...LARGE_SHAPES),
	bytes: fc.constantFrom(...LARGE_BYTES),
	field: fc.constantFrom(undefined, 'output', 'error', 'detail', 'message', 'files'),
});

const oddBody: Arbitrary<Body> = fc.oneof(
	hostileValue.map((value) => ({ kind: 'json' as const, value })),
	detail.map((value) => ({ kind: 'json' as const, value })),
	page.map((text) => ({ kind: 'text' as const, text })),
	hostileText.map((text) => ({ kind: 'text' as const, text })),
	fc
		.uint8Array({ maxLength: 40 })
		.map((bytes) => ({ kind: 'bytes' as const, base64: Buffer.from(bytes).toString('base64') })),
	largeBody,
);

const header = fc.tuple(
	fc.constantFrom(
		'Retry-After',
		'Location',
		'Content-Type',
		'Content-Length',
		'Content-Encoding',
		'Set-Cookie',
		'X-Any',
		'Content-Disposition',
	),
	fc.oneof(
		fc.constantFrom(
			'0',
			'1',
			'120',
			'1e300',
			'-5',
			'Wed, 21 Oct 2099 07:28:00 GMT',
			'text/html',
			'application/json; charset=utf-16',
			`${TOKENS.fileHost}/files/9`,
			`${TOKENS.service}/files/8`,
			'/v1/health',
			`https://x.example/?${TOKENS.key}`,
			'br',
			'gzip, gzip',
		),
		fc.string({ maxLength: 20 }),
		fc.constant('x'.repeat(20_000)),
	),
);

// Line breaks would end the head. All else is the client's business.
const headers = fc.array(
	header.map(([name, value]): [string, string] => [name, value.replace(/[\r\n]/g, '')]),
	{ maxLength: 2 },
);

const json = fc.constant<[string, string]>(['Content-Type', 'application/json']);

function goodReply(endpoint: Endpoint): Arbitrary<Reply> {
	return DATA[endpoint].chain((value) =>
		fc.record({
			status: fc.constant(200),
			headers: json.map((one) => [one]),
			body: fc.constant<Body>(
				endpoint === 'download' ? { kind: 'text', text: String(value) } : { kind: 'json', value },
			),
			encoding: mostly(fc.constant('identity' as const), fc.constant('gzip' as const)),
			fault: fc.constant('none' as const),
		}),
	);
}

const oddReply: Arbitrary<Reply> = fc.record({
	status: mostly(fc.constantFrom(...HTTP_STATUSES), fc.constant(200), 1),
	headers,
	body: oddBody,
	encoding: mostly(
		fc.constant('identity' as const),
		fc.constantFrom('gzip' as const, 'truncatedGzip' as const, 'notGzip' as const),
	),
	fault: mostly(fc.constant('none' as const), fc.constantFrom(...FAULTS), 2),
});

const bomb: Arbitrary<Reply> = fc.record({
	status: fc.constantFrom(200, 400, 429, 500),
	headers: fc.constant([]),
	body: fc
		.constantFrom('letters' as const, 'emptyArrays' as const)
		.map((shape): Body => ({ kind: 'large', shape, bytes: BOMB_BYTES })),
	encoding: fc.constant('gzip' as const),
	fault: fc.constant('none' as const),
});

function brokenGood(endpoint: Endpoint): Arbitrary<Reply> {
	return fc
		.tuple(
			goodReply(endpoint),
			fc.constantFrom(...FAULTS),
			fc.constantFrom('identity' as const, 'truncatedGzip' as const),
		)
		.map(([reply, fault, encoding]) => ({ ...reply, fault, encoding }));
}

function replyOf(endpoint: Endpoint): Arbitrary<Reply> {
	return fc.oneof(
		{ weight: 24, arbitrary: goodReply(endpoint) },
		{ weight: 8, arbitrary: oddReply },
		{ weight: 4, arbitrary: brokenGood(endpoint) },
		{ weight: 1, arbitrary: bomb },
	);
}

function repliesOf(endpoint: Endpoint, maxLength: number): Arbitrary<Reply[]> {
	return fc.array(replyOf(endpoint), { minLength: 1, maxLength });
}

/** What a service may say in one case. */
export const script: Arbitrary<ServiceScript> = fc.record({
	start: repliesOf('start', 3),
	status: repliesOf('status', 5),
	pause: repliesOf('pause', 2),
	resume: repliesOf('resume', 2),
	files: repliesOf('files', 2),
	balance: repliesOf('balance', 2),
	health: repliesOf('health', 1),
	download: repliesOf('download', 3),
	list: repliesOf('list', 2),
});

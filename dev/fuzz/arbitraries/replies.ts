import fc, { type Arbitrary } from 'fast-check';

import {
	ENDPOINTS,
	FRAMINGS,
	LARGE_SHAPES,
	TOKENS,
	type Body,
	type Endpoint,
	type Reply,
	type ServiceScript,
} from '../FuzzCase';
import { hostileText, hostileValue, mostly, repetitiveText } from './values';

const STATUSES = ['provisioning', 'running', 'paused', 'completed', 'failed', 'user_taken_over'];
const KB = 1024;
const MB = 1024 * KB;
const MAX_REPLIES = 4;

const jobId = mostly(
	fc.integer({ min: 1, max: 99 }).map((number) => `job_${number}`),
	fc.constantFrom<unknown>(
		...['j'.repeat(200), '__proto__', 'constructor', 'a,b', 'ü😀', 'a<b>', 'x\u202ey'],
		...['', '.', '..', 'a b', 'a/b', 'a\nb', 'j'.repeat(201), null, 7, 1.5, {}, []],
	),
);

const link = mostly(
	fc.constantFrom(`${TOKENS.fileHost}/files/1`, `${TOKENS.service}/files/2`),
	fc.constantFrom(
		...['', 'files/3', '//127.0.0.1:1/x', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'https://'],
		`${TOKENS.fileHost}/files/?k=${TOKENS.key}`,
	),
);

function linkWith(address: string): Arbitrary<string> {
	return mostly(fc.constant('1'), repetitiveText).map((path) => address + path);
}

const textOrValue = mostly(hostileText, hostileValue, 2);

const jobFields = {
	output: mostly(textOrValue, fc.constantFrom('{"a":1}', '```json\n[1]\n```'), 3),
	error: textOrValue,
	credits_used: mostly(fc.nat(100), hostileValue),
	live_url: mostly(linkWith('https://live.example/'), hostileValue),
	history_url: mostly(linkWith('https://history.example/'), hostileValue),
	cdp_url: mostly(fc.constant(TOKENS.cdpUrl), hostileValue),
	created_at: mostly(fc.constant('2026-01-01T00:00:00Z'), hostileValue),
	updated_at: mostly(fc.constant('2026-01-01T00:01:00Z'), hostileValue),
	polling_url: textOrValue,
	job_id: jobId,
};

const file = someOf({
	filename: mostly(fc.constantFrom('a.pdf', 'b.csv'), textOrValue, 2),
	download_url: mostly(link, hostileValue),
	expires_in: mostly(fc.constant(60), hostileValue),
});

/** What each endpoint says when it means well. */
const DATA: Record<Endpoint, Arbitrary<unknown>> = {
	run_browser_agent: someOf({ ...jobFields, status: mostly(fc.constant('running'), textOrValue) }, [
		'job_id',
	]),
	get_job_status: someOf(
		{ ...jobFields, status: mostly(fc.constantFrom(...STATUSES), textOrValue, 9) },
		['status'],
	),
	pause_job: hostileValue,
	resume_job: hostileValue,
	get_job_files: fc.record({
		job_id: jobId,
		files: mostly(
			fc.array(mostly(file, hostileValue), { maxLength: 4 }),
			fc.constant(Array.from({ length: 1_001 }, () => ({ filename: 'same.txt' }))),
		),
	}),
	get_credit_balance: someOf({
		unlimited: mostly(fc.boolean(), hostileValue),
		credit_balance: mostly(fc.nat(500), hostileValue),
		next_reset: textOrValue,
		message: textOrValue,
	}),
	health: mostly(fc.constant({ status: 'ok' }), hostileValue),
	download: hostileText,
	list: fc.array(mostly(fc.oneof(jobId, fc.record({ job_id: jobId })), hostileValue), {
		maxLength: 4,
	}),
};

const validationError = someOf({
	loc: mostly(fc.array(fc.constantFrom('body', 'browser_config', 'width', 0)), hostileValue),
	msg: textOrValue,
	type: textOrValue,
});

const oddBody: Arbitrary<Body> = fc.oneof(
	fc
		.oneof(
			hostileValue,
			fc.record({ detail: textOrValue }),
			fc.record({ message: textOrValue }),
			fc.record({ detail: fc.array(mostly(validationError, hostileValue), { maxLength: 25 }) }),
		)
		.map((value) => ({ kind: 'json' as const, value })),
	mostly(
		hostileText,
		hostileText.map((text) => `<html><title>${text}</title><body>${text}</body></html>`),
		1,
	).map((text) => ({ kind: 'text' as const, text })),
	fc
		.uint8Array({ maxLength: 40 })
		.map((bytes) => ({ kind: 'bytes' as const, base64: Buffer.from(bytes).toString('base64') })),
	fc.record({
		kind: fc.constant('large' as const),
		shape: fc.constantFrom(...LARGE_SHAPES),
		bytes: fc.constantFrom(KB, MB / 16, MB, 6 * MB),
		field: fc.constantFrom(undefined, 'output', 'error', 'detail', 'message', 'files'),
	}),
);

const headerValue = fc.oneof(
	fc.constantFrom(
		...['0', '120', '1e300', '-5', 'Wed, 21 Oct 2099 07:28:00 GMT', 'text/html', 'br'],
		...[`${TOKENS.fileHost}/files/9`, `${TOKENS.service}/files/8`, '/v1/health'],
		`https://x.example/?${TOKENS.key}`,
		'x'.repeat(20_000),
	),
	repetitiveText.map((text) => text.slice(0, 8_000)),
	// Line breaks would end the head. All else is the client's business.
	fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, '')),
);

const header = fc.tuple(
	fc.constantFrom(
		...['Retry-After', 'Location', 'Content-Type', 'Content-Length', 'Content-Encoding'],
		...['Content-Disposition', 'X-Any'],
	),
	headerValue,
);

const oddReply: Arbitrary<Reply> = fc.record({
	status: fc.oneof(
		fc.integer({ min: 100, max: 599 }),
		fc.constantFrom(200, 202, 204, 302, 402, 404, 429, 999),
	),
	headers: fc.array(header, { maxLength: 2 }),
	body: oddBody,
	encoding: mostly(
		fc.constant('identity' as const),
		fc.constantFrom('gzip' as const, 'truncatedGzip' as const, 'notGzip' as const),
	),
	framing: fc.constantFrom(...FRAMINGS),
});

/** A small answer that becomes a hundred megabytes. */
const bomb: Arbitrary<Reply> = fc.record({
	status: fc.constantFrom(200, 400, 429, 500),
	headers: fc.constant([]),
	body: fc.constant<Body>({ kind: 'large', shape: 'emptyArrays', bytes: 100 * MB }),
	encoding: fc.constant('gzip' as const),
	framing: fc.constant('plain' as const),
});

/** What a service may say in one case. */
export const script: Arbitrary<ServiceScript> = fc.record(
	Object.fromEntries(
		ENDPOINTS.map((endpoint) => [
			endpoint,
			fc.array(replyOf(endpoint), { minLength: 1, maxLength: MAX_REPLIES }),
		]),
	) as Record<Endpoint, Arbitrary<Reply[]>>,
);

function replyOf(endpoint: Endpoint): Arbitrary<Reply> {
	const good = DATA[endpoint].map((value): Reply => {
		return {
			status: 200,
			headers: [['Content-Type', 'application/json']],
			body:
				endpoint === 'download' ? { kind: 'text', text: String(value) } : { kind: 'json', value },
			encoding: 'identity',
			framing: 'plain',
		};
	});
	return fc.oneof(
		{ weight: 24, arbitrary: good },
		{ weight: 8, arbitrary: oddReply },
		{ weight: 1, arbitrary: bomb },
	);
}

function someOf(
	fields: Record<string, Arbitrary<unknown>>,
	requiredKeys: string[] = [],
): Arbitrary<object> {
	return fc.record(fields, { requiredKeys });
}

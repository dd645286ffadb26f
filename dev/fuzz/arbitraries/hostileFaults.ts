import fc, { type Arbitrary } from 'fast-check';

import type { EndpointName, FileScript, JobScript } from '../../sandbox/types';
import {
	FRAMINGS,
	LARGE_SHAPES,
	TOKENS,
	type Body,
	type FuzzFault,
	type OddReply,
} from '../FuzzCase';
import { failure, when, type Failure } from './faults';
import { jobWith } from './jobs';
import { hostileText, hostileValue, mostly, repetitiveText } from './values';

const STATUSES = ['provisioning', 'running', 'paused', 'completed', 'failed', 'user_taken_over'];
const KB = 1024;
const MB = 1024 * KB;
const MAX_FAULTS = 4;

const jobId = mostly(
	fc.constantFrom<unknown>(TOKENS.firstJob, TOKENS.secondJob, 'job_7'),
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
	return mostly(fc.constant('1'), repetitiveText, 2).map((path) => address + path);
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
};

// Mostly its own one, by which the sandbox knows it.
const ownJobId = mostly(fc.constant({}), fc.record({ job_id: jobId }));

const file = someOf({
	filename: mostly(fc.constantFrom('a.pdf', 'b.csv'), textOrValue, 2),
	download_url: mostly(link, hostileValue),
	expires_in: mostly(fc.constant(60), hostileValue),
});

const scriptedFile: Arbitrary<FileScript> = fc
	.tuple(
		mostly(fc.constantFrom('a.pdf', 'b.csv'), hostileText, 2),
		fc.record({ content: hostileText, downloadUrl: link }, { requiredKeys: [] }),
	)
	.map(([filename, more]) => ({ filename, ...more }));

const job = fc
	.tuple(
		someOf({ ...jobFields, status: mostly(fc.constantFrom(...STATUSES), textOrValue, 9) }),
		ownJobId,
	)
	.map(([fields, id]) => ({ ...fields, ...id }));

/** How a job goes whose agent writes what nobody is prepared for. */
export const hostileJobs: Arbitrary<JobScript> = fc
	.tuple(
		jobWith(jobFields.output),
		someOf({
			error: hostileText,
			files: fc.array(scriptedFile, { maxLength: 3 }),
			statuses: fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 3 }),
		}),
	)
	.map(([script, more]) => ({ ...script, ...more }));

/** What an endpoint says when it means well: not always what the document has. */
const ANSWERS: Record<EndpointName, Arbitrary<Failure>> = {
	startAgent: fields(job),
	runWorkflow: fields(job),
	getJob: fields(job),
	pauseJob: body(hostileValue),
	resumeJob: body(hostileValue),
	getJobFiles: fields(
		fc.record({
			files: mostly(
				fc.array(mostly(file, hostileValue), { maxLength: 4 }),
				fc.constant(Array.from({ length: 1_001 }, () => ({ filename: 'same.txt' }))),
			),
		}),
	),
	getCreditBalance: fields(
		someOf({
			unlimited: mostly(fc.boolean(), hostileValue),
			credit_balance: mostly(fc.nat(500), hostileValue),
			next_reset: textOrValue,
			message: textOrValue,
		}),
	),
	getHealth: body(mostly(fc.constant({ status: 'ok' }), hostileValue)),
	// A file, or the list of the jobs to watch.
	file: fc.oneof(
		body(hostileText),
		body(
			fc.array(mostly(fc.oneof(jobId, fc.record({ job_id: jobId })), hostileValue), {
				maxLength: 4,
			}),
		),
	),
};

function fields(values: Arbitrary<object>): Arbitrary<Failure> {
	return values.map((value) => ({ kind: 'fields', body: value }));
}

function body(values: Arbitrary<unknown>): Arbitrary<Failure> {
	return fc.tuple(values, when).map(([value, at]) => ({ kind: 'body', body: value, when: at }));
}

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

const oddReply: Arbitrary<OddReply> = fc.record({
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
const bomb: Arbitrary<OddReply> = fc.record({
	status: fc.constantFrom(200, 400, 429, 500),
	headers: fc.constant([]),
	body: fc.constant<Body>({ kind: 'large', shape: 'emptyArrays', bytes: 100 * MB }),
	encoding: fc.constant('gzip' as const),
	framing: fc.constant('plain' as const),
});

/** What goes wrong with the first requests to an endpoint; mostly, the last fault stays. */
export function faultsAt(endpoint: EndpointName): Arbitrary<FuzzFault[]> {
	const any: Arbitrary<Failure | { reply: OddReply; when: Failure['when'] }> = fc.oneof(
		{ weight: 20, arbitrary: ANSWERS[endpoint] },
		{ weight: 6, arbitrary: failure },
		{ weight: 12, arbitrary: fc.record({ reply: oddReply, when }) },
		{ weight: 1, arbitrary: fc.record({ reply: bomb, when }) },
	);
	const lasts = mostly(fc.constant(true), fc.constant(false), 2);
	return fc
		.tuple(fc.array(any, { minLength: 1, maxLength: MAX_FAULTS }), lasts)
		.map(([faults, lastStays]) =>
			faults.map((fault, index) => {
				const stays = lastStays && index === faults.length - 1;
				return { times: 1, ...fault, endpoint, ...(stays && { times: 'always' as const }) };
			}),
		);
}

function someOf(
	fields: Record<string, Arbitrary<unknown>>,
	requiredKeys: string[] = [],
): Arbitrary<object> {
	return fc.record(fields, { requiredKeys });
}

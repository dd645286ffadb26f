import fc, { type Arbitrary } from 'fast-check';

import type { EndpointName, Fault } from '../../sandbox/types';
import { TOKENS } from '../FuzzCase';

/** What goes wrong with a request, without where. */
export type Failure = Omit<Fault, 'endpoint'>;

/** Before or after the operation has run: the response doesn't tell. */
export const when = fc.constantFrom<Array<'before' | 'after'>>('before', 'after');

/** What can go wrong with a sane service, and the network to it. */
export const failure: Arbitrary<Failure> = fc.oneof(
	fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 503), when }),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(307, 400, 401, 402, 404, 422),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constant(429),
		headers: fc.constantFrom<Array<Record<string, string>>>(
			{},
			{ 'retry-after': '1' },
			{ 'retry-after': '90' },
		),
	}),
	fc.record({
		kind: fc.constantFrom('reset' as const, 'truncate' as const, 'hang' as const),
		when,
	}),
	fc.record({
		kind: fc.constant('body' as const),
		body: fc.constant({ status: 'error', message: 'Not now' }),
		when,
	}),
	fc.record({
		kind: fc.constant('body' as const),
		body: fc.constantFrom<unknown[]>('<html>Gateway</html>', {}, '', { job_id: '../x' }),
		when: fc.constant('after' as const),
	}),
);

const PAGE =
	'<!doctype html><html><head><title>Please wait</title></head><body>Error</body></html>';
const HTML = 'text/html';

/** The page of a proxy or a gateway. With a 4xx, it has not passed the request on. */
const proxyPage: Arbitrary<Failure> = fc.oneof(
	fc.record({
		kind: fc.constant('body' as const),
		status: fc.constantFrom(400, 403, 404, 407, 413, 451),
		body: fc.constant<unknown>(PAGE),
		contentType: fc.constant(HTML),
	}),
	fc.record({
		kind: fc.constant('body' as const),
		status: fc.constantFrom(200, 500, 502, 503, 504),
		body: fc.constant<unknown>(PAGE),
		contentType: fc.constant(HTML),
		when,
	}),
);

/** What the service, or a gateway in front of it, says of a key. */
const refusedKey: Arbitrary<Failure> = fc.record({
	kind: fc.constant('body' as const),
	status: fc.constantFrom(401, 403),
	body: fc.constantFrom<unknown[]>(
		{ detail: 'Invalid API key' },
		{ message: 'Unauthorized' },
		{ status: 'error', message: 'The key has expired' },
		PAGE,
	),
});

/** Leads a browser to a page where a person could log in. */
const loginRedirect: Arbitrary<Failure> = fc.record({
	kind: fc.constant('body' as const),
	status: fc.constantFrom(302, 307),
	headers: fc.constantFrom<Array<Record<string, string>>>(
		{ location: '/login' },
		{ location: `${TOKENS.service}/login?next=%2Fv1` },
		{ location: 'https://login.example/login' },
	),
	body: fc.constantFrom<unknown[]>('', PAGE),
});

/** What a server says of a job that it does not know yet. */
const laggingReplica: Arbitrary<Failure> = fc.record({
	kind: fc.constant('status' as const),
	status: fc.constant(404),
});

const JOB_ENDPOINTS: EndpointName[] = ['getJob', 'pauseJob', 'resumeJob', 'getJobFiles'];

/** Answers of an endpoint that say nothing about the job: one, or several in a row. */
export function passingRefusals(endpoint: EndpointName): Arbitrary<Failure> {
	const answers = [proxyPage, refusedKey, loginRedirect];
	if (JOB_ENDPOINTS.includes(endpoint)) answers.push(laggingReplica);
	return fc
		.tuple(fc.oneof(...answers), fc.constantFrom(1, 2, 3, 12))
		.map(([answer, times]) => ({ ...answer, times }));
}

import fc, { type Arbitrary } from 'fast-check';

import type { Fault } from '../../sandbox/types';

/** What goes wrong with a request, without where. */
export type Failure = Omit<Fault, 'endpoint'>;

/** Before or after the operation has run: the response doesn't tell. */
export const when = fc.constantFrom<Array<'before' | 'after'>>('before', 'after');

/** What can go wrong with a sane service, and the network to it. */
export const failure: Arbitrary<Failure> = fc.oneof(
	// These don't tell whether the operation has run.
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(302, 408, 500, 503),
		when,
	}),
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

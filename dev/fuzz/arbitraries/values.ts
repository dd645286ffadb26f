import fc, { type Arbitrary } from 'fast-check';

import { TOKENS } from '../FuzzCase';

/** Names that mean something else on an object's prototype. */
export const PROTOTYPE_NAMES = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'valueOf',
	'hasOwnProperty',
	'toJSON',
	'then',
];

const HOSTILE_TEXTS = [
	'',
	' ',
	'null',
	'a\r\nERROR a forged line',
	'first\u2028second\u2029third\u0085fourth',
	'\u202egnp.exe',
	'\u200b',
	'\u0000',
	'\u001b[31mred\u001b[0m',
	'\ud800',
	'<img src=x onerror=alert(1)>',
	'[a link](https://evil.example)',
	'{{ $json }}',
	'ECONNREFUSED',
	'Execution canceled: by nobody',
	'```json\n{"a":1}\n```',
	'```',
	'../../etc/passwd',
	'CON',
	'%E0%A4%A',
	'javascript:alert(1)',
	'http://[::1',
	'1e309',
	'-0',
	'9007199254740993',
	'*'.repeat(200),
	...PROTOTYPE_NAMES,
	...[TOKENS.key, TOKENS.cdpUrl, TOKENS.cdpPart, TOKENS.service],
	`the key is ${TOKENS.key}, the browser ${TOKENS.cdpUrl} with ${TOKENS.cdpPart}`,
];

const longText = fc
	.tuple(
		fc.constantFrom('a', 'word ', '/', '```', '[', '"', '\\', '\u{1f600}', ' '),
		fc.constantFrom(300, 21_000, 200_000),
	)
	.map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)));

/** A text that somebody may not be prepared for. */
export const hostileText: Arbitrary<string> = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
	{ weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
	{ weight: 1, arbitrary: longText },
);

const hostileNumber = fc.constantFrom(0, -1, 0.5, 1, 3, 1e21, 1e300, 2 ** 53, -1e-300);

const scalar: Arbitrary<unknown> = fc.oneof(
	fc.constant(null),
	fc.boolean(),
	hostileNumber,
	hostileText,
);

const fieldName = fc.oneof(
	fc.constantFrom(...PROTOTYPE_NAMES, 'error', 'job_id', 'status', 'cdp_url', 'detail', 'message'),
	fc.string({ maxLength: 5 }),
);

const shallow: Arbitrary<unknown> = fc.oneof(
	{ weight: 3, arbitrary: scalar },
	{ weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
	{ weight: 1, arbitrary: objectOf(scalar) },
);

const nested = fc
	.tuple(fc.constantFrom(5, 150, 199, 200, 201, 900, 6_000), fc.boolean())
	.map(([levels, isList]) => `${TOKENS.nested}${levels}${isList ? 'L' : 'O'}`);

/** JSON data as it may be in a workflow: n8n itself fails on deeply nested parameters and items. */
export const workflowValue: Arbitrary<unknown> = fc.oneof(
	{ weight: 5, arbitrary: shallow },
	{ weight: 2, arbitrary: fc.array(shallow, { maxLength: 4 }) },
	{ weight: 2, arbitrary: objectOf(shallow) },
);

/** Any JSON data. */
export const hostileValue: Arbitrary<unknown> = mostly(workflowValue, nested, 12);

/** Mostly the one, at times the other. */
export function mostly<T, U>(usual: Arbitrary<T>, odd: Arbitrary<U>, weight = 6): Arbitrary<T | U> {
	return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** An object some of whose fields are missing. */
export function someOf(fields: Record<string, Arbitrary<unknown>>): Arbitrary<object> {
	return fc.record(fields, { requiredKeys: [] });
}

// With `fromEntries`, `__proto__` becomes a field like any other.
function objectOf(value: Arbitrary<unknown>): Arbitrary<unknown> {
	return fc.array(fc.tuple(fieldName, value), { maxLength: 4 }).map(Object.fromEntries);
}

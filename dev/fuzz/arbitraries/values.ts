import fc, { type Arbitrary } from 'fast-check';

import { TOKENS } from '../FuzzCase';

/** Names that mean something else on an object's prototype. */
const PROTOTYPE_NAMES = [
	'__proto__',
	'constructor',
	'toString',
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
	'\u0000',
	'\u001b[31mred\u001b[0m',
	'\ud800',
	'<img src=x onerror=alert(1)>',
	'[a link](https://evil.example)',
	'{{ $json }}',
	'Execution canceled: by nobody',
	'```json\n{"a":1}\n```',
	'```',
	'../../etc/passwd',
	'%E0%A4%A',
	'javascript:alert(1)',
	'http://[::1',
	'9007199254740993',
	...PROTOTYPE_NAMES,
];
// What must not be shown is what is worth trying most.
const SECRET_TEXTS = [
	`the key is ${TOKENS.key}, the browser ${TOKENS.cdpUrl}`,
	`Ri${TOKENS.key}k %${TOKENS.percentKey};`,
];

/** The start of the key or of an address, followed by many repetitions that may be slow to scan. */
export const repetitiveText: Arbitrary<string> = fc
	.tuple(
		fc.constantFrom(`Ri${TOKENS.keyWord}`, TOKENS.keyStart, 'wss://', `${TOKENS.cdpUrl}/`),
		fc.constantFrom(
			...['&_;', '&amp;', '&#45;', '&', '%', '%41', '%2525', '\\\\', '\\n', '\\u002d', '-'],
			...['a-', 'wss://', '/devtools', 'http://a.b/', TOKENS.keyStart],
		),
		fc.constantFrom(40, 900, 6_000),
		fc.constantFrom('', '!', TOKENS.key),
	)
	.map(([start, unit, times, end]) => start + unit.repeat(times) + end);

const longText = fc
	.tuple(fc.constantFrom('a', '```', '[', '\\', '\u{1f600}'), fc.constantFrom(300, 21_000, 200_000))
	.map(([unit, length]) => unit.repeat(length / unit.length));

/** A text that code may not be prepared for. */
export const hostileText: Arbitrary<string> = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
	{ weight: 5, arbitrary: fc.constantFrom(...SECRET_TEXTS) },
	{ weight: 3, arbitrary: repetitiveText },
	{ weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
	{ weight: 1, arbitrary: longText },
);

const scalar: Arbitrary<unknown> = fc.oneof(
	fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e21, 1e300, 2 ** 53),
	hostileText,
);

const fieldName = fc.oneof(
	fc.constantFrom(...PROTOTYPE_NAMES, 'error', 'job_id', 'status', 'cdp_url', 'detail', 'message'),
	fc.string({ maxLength: 5 }),
);

/** Any JSON data. */
export const hostileValue: Arbitrary<unknown> = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 2 },
		{ weight: 6, arbitrary: scalar },
		{ weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
		// With `fromEntries`, `__proto__` becomes a field like any other.
		{
			weight: 2,
			arbitrary: fc
				.array(fc.tuple(fieldName, tie('value')), { maxLength: 4 })
				.map(Object.fromEntries),
		},
	),
})).value;

/** Mostly the one, at times the other. */
export function mostly<T, U>(usual: Arbitrary<T>, odd: Arbitrary<U>, weight = 6): Arbitrary<T | U> {
	return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

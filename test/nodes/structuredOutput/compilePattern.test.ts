import fc from 'fast-check';

import { compilePattern } from '../../../nodes/structuredOutput/compilePattern';

const BUDGET = { spend: () => {} };

/** Spends as much as the longest text may cost in a check, with the most hostile pattern. */
function countSteps(pattern: string, text: string): number {
	let spent = 0;
	compilePattern(pattern)(text, { spend: (steps) => void (spent += steps) });
	return spent;
}

describe('compilePattern', () => {
	it.each<[string, string, boolean]>([
		['^\\d{4}-\\d{2}$', '2026-11', true],
		['^\\d{4}-\\d{2}$', '2026-1', false],
		['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'desk-lamp-2', true],
		['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'desk--lamp', false],
		['b', 'abc', true],
		['^$', '', true],
		['^.$', '😀', true],
		['^\\p{L}+$', 'Größe', true],
		['^(?=.*\\d)(?!.*x).{3,}$', 'ab1', true],
		['^(?=.*\\d)(?!.*x).{3,}$', 'ax1', false],
		['^(?<year>\\d+)\\b', '2026 ', true],
		['\\u{1F600}|\\uD83D\\uDE00', '😀', true],
		['^[\\]\\\\]+$', ']\\', true],
		['^(?:)*$', '', true],
		['^a{2}$', 'aaa', false],
		['^a{2,}?$', 'aaa', true],
	])('%s on %j: %s', (pattern, text, expected) => {
		expect(compilePattern(pattern)(text, BUDGET)).toBe(expected);
	});

	it('agrees with JavaScript', () => {
		const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '^', '$', '\\b', '\\B');
		const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
			pattern: fc.oneof(
				{ maxDepth: 4 },
				atom,
				fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}${other}`),
				fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
				fc
					.tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '*?'))
					.map(([one, times]) => `(${one})${times}`),
				fc
					.tuple(fc.constantFrom('(?=', '(?!'), tie('pattern'))
					.map(([kind, one]) => `${kind}${one})`),
			),
		}));
		const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 8 });
		fc.assert(
			fc.property(pattern, text, (source, value) => {
				expect(compilePattern(source)(value, BUDGET)).toBe(new RegExp(source, 'u').test(value));
			}),
			{ numRuns: 3_000 },
		);
	});

	it('applies to the first 1,000 characters', () => {
		const text = 'a'.repeat(1_000);

		expect(compilePattern('^a+$')(`${text}b`, BUDGET)).toBe(true);
		expect(compilePattern('b')(`${text}b`, BUDGET)).toBe(false);
	});

	it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(?:a*)*b', '.*a.*a.*a.*a.*c', '^((a?)*)*$'])(
		'takes few steps for %s, which can take JavaScript for ever',
		(pattern) => {
			expect(countSteps(pattern, `${'a'.repeat(999)}!`)).toBeLessThan(50_000);
		},
	);

	it.each(['(?:){1000}', '(?:|||||||||){100}', '(?:(?=)){1000}', '(){1000}'])(
		'counts the steps of %s, which match nothing but take their time',
		(pattern) => {
			expect(countSteps(pattern, 'a'.repeat(1_000))).toBeGreaterThanOrEqual(1_000_000);
		},
	);

	it.each([
		['no pattern', '('],
		['a backreference', '(a)\\1'],
		['a named backreference', '(?<x>a)\\k<x>'],
		['a lookbehind', '(?<=a)b'],
		['a negative lookbehind', '(?<!a)b'],
	])('does not take %s', (_label, pattern) => {
		expect(() => compilePattern(pattern)).toThrow();
	});
});

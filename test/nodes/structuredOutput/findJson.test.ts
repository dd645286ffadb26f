import fc from 'fast-check';

import { findJson } from '../../../nodes/structuredOutput/findJson';

const FENCE = '```';

describe('findJson', () => {
	it.each<[string, string, unknown]>([
		['JSON text', ' {"a": [1, 2]}\n', { a: [1, 2] }],
		['JSON text of a number', '5', 5],
		['JSON text of a text', '"five"', 'five'],
		['JSON text of null', 'null', null],
		['a code fence', `${FENCE}json\n{"a": 1}\n${FENCE}`, { a: 1 }],
		['a code fence within text', `Done:\n${FENCE}\n[1, 2]\n${FENCE}\nBye [now]`, [1, 2]],
		[
			'a code fence of code, and an object',
			`${FENCE}js\ngo()\n${FENCE}\nThe result is {"a": 1}`,
			{ a: 1 },
		],
		[
			'two fences, one of them JSON',
			`${FENCE}js\nx\n${FENCE}\n${FENCE}\n{"a":1}\n${FENCE}`,
			{ a: 1 },
		],
		['a fence that is not closed', `${FENCE}json\n{"a": 1}`, { a: 1 }],
		['an object within text', 'The price is {"price": 5}, as of today.', { price: 5 }],
		['an array within text', 'The prices: [1, {"a": [2]}] (EUR)', [1, { a: [2] }]],
		['brackets within its texts', 'See {"a": "}{", "b": "\\"]"} there', { a: '}{', b: '"]' }],
		['brackets that are no JSON', '{name} and [x] are placeholders; {"a": 1} is not', { a: 1 }],
		['JSON within brackets that are none', '{ see [1, 2] }', [1, 2]],
		['a bracket that is not closed', 'A ( { and {"a": 1}', { a: 1 }],
		[
			'a code fence within a text of an object',
			`{"a": "${FENCE}x${FENCE}"} it is`,
			{
				a: `${FENCE}x${FENCE}`,
			},
		],
	])('finds %s', (_label, output, data) => {
		expect(JSON.parse(findJson(output) ?? '')).toEqual(data);
	});

	it.each<[string, string]>([
		['plain text', 'The price is 5'],
		['an empty text', ''],
		['two objects', 'First {"a": 1}, then {"a": 2}'],
		['an object and a footnote', 'It is {"a": 1} [1]'],
		['a number within text', 'It is 5'],
		['broken JSON', '{"a": 1'],
		['two code fences', `${FENCE}\n[1]\n${FENCE}\n${FENCE}\n[2]\n${FENCE}`],
		['an object after too much to look through', `${'[x]'.repeat(20_000)} {"a": 1}`],
	])('finds nothing in %s', (_label, output) => {
		expect(findJson(output)).toBeUndefined();
	});

	it('finds any object or array in any text without brackets', () => {
		const text = fc.string().map((one) => one.replace(/[[\]{}`]/g, ''));
		const value = fc
			.jsonValue({ maxDepth: 4 })
			.filter((one) => typeof one === 'object' && one !== null);
		fc.assert(
			fc.property(text, value, text, (before, data, after) => {
				const json = JSON.stringify(data);
				// With quotes around it, the whole text is the JSON of a text.
				fc.pre(!(before.trim().startsWith('"') && after.trim().endsWith('"')));

				expect(findJson(`${before}${json}${after}`)).toBe(json);
			}),
		);
	});

	it.each<[string, string]>([
		['brackets that are no JSON', '[x]'.repeat(300_000)],
		['nested brackets', '{['.repeat(500_000)],
		['240 kB of nested brackets', '['.repeat(240_000)],
		['brackets and quotes', '{"'.repeat(500_000)],
		['brackets around very many values', `${'['.repeat(99)}${'1,'.repeat(400_000)}`],
		['code fences', `${FENCE}json\n`.repeat(100_000)],
	])('gives up on a text of %s', (_label, text) => {
		expect(findJson(text)).toBeUndefined();
	});

	it('never throws', () => {
		const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' ', FENCE);
		const text = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.string({ unit: pieces, maxLength: 60 }),
		);
		fc.assert(
			fc.property(text, (output) => {
				expect(() => findJson(output)).not.toThrow();
			}),
			{ numRuns: 2_000 },
		);
	});
});

import fc from 'fast-check';

import { findJson } from '../../../nodes/structuredOutput/findJson';

const FENCE = '```';

describe('findJson', () => {
	it.each<[string, unknown, unknown]>([
		['data', { a: 1 }, { a: 1 }],
		['a number', 5, 5],
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
		expect(findJson(output)).toEqual(data);
	});

	it.each<[string, unknown]>([
		['no output', undefined],
		['plain text', 'The price is 5'],
		['an empty text', ''],
		['two objects', 'First {"a": 1}, then {"a": 2}'],
		['an object and a footnote', 'It is {"a": 1} [1]'],
		['a number within text', 'It is 5'],
		['broken JSON', '{"a": 1'],
		['data of more than 200 levels', '['.repeat(201) + ']'.repeat(201)],
		['such data within text', `It is ${'['.repeat(201)}${']'.repeat(201)}`],
		['very many values', `It is [${'1,'.repeat(300_000)}1]`],
		['very many brackets', '{['.repeat(100_000)],
		['very many brackets and quotes', '{"'.repeat(100_000)],
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

				expect(findJson(`${before}${json}${after}`)).toEqual(JSON.parse(json));
			}),
		);
	});

	it('throws for no text', () => {
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

import fc from 'fast-check';

import { positionsOf, WordSearch } from '../../../nodes/service/WordSearch';

describe('WordSearch: a sequence is found', () => {
	it.each([
		['whatever separates its words', 'sk - - live', [0, 11]],
		['at the end of one word and the beginning of another', 'Risk-liver', [2, 9]],
		['between encoded separators', '%2fsk%2flive%2f', [3, 12]],
		['between entities', '&amp;sk&_;&amp;&_;live', [5, 22]],
	])('%s', (_label, text, [start, end]) => {
		expect([...new WordSearch(text).find('sk live')]).toEqual([{ start, end }]);
	});
});

describe('WordSearch: a sequence is not found', () => {
	it.each([
		['with another word between', 'sk a live'],
		['without a separator', 'sklive'],
		['if the first word goes on', 'ska live'],
		['if the second word begins earlier', 'sk alive'],
	])('%s', (_label, text) => {
		expect([...new WordSearch(text).find('sk live')]).toEqual([]);
	});
});

describe('The search for a sequence', () => {
	// With entries in a list instead of characters in a text, what is read can be counted.
	const shapes = fc.oneof(
		fc.constantFrom(
			'a',
			'a ',
			'ab',
			'a b ',
			'aab',
			'sk live 4f9a ',
			'Risk&_;',
			'%2F',
			'&amp;',
			'\\',
		),
		fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 10 }),
	);
	const repeated = (max: number) =>
		fc.tuple(shapes, fc.integer({ min: 1, max }), shapes).map(([one, times, last]) => {
			return one.repeat(times) + last;
		});

	function countReads(wanted: string, text: string) {
		let count = 0;
		const list = new Proxy([...Buffer.from(text)], {
			get(target, name, receiver) {
				if (name !== 'length') count++;
				return Reflect.get(target, name, receiver) as unknown;
			},
		});
		const places = [...positionsOf([...Buffer.from(wanted)], list)];
		return { count, places };
	}

	it('finds the places where its words stand', () => {
		fc.assert(
			fc.property(repeated(5), repeated(50), (wanted, text) => {
				const expected = [...text].flatMap((_, at) => (text.startsWith(wanted, at) ? [at] : []));

				expect(countReads(wanted, text).places).toEqual(expected);
			}),
		);
	});

	it('takes at most twice as many comparisons for twice the text, whatever is looked for', () => {
		fc.assert(
			fc.property(repeated(40), repeated(200), (wanted, text) => {
				const { count } = countReads(wanted, text);

				expect(count).toBeLessThanOrEqual(4 * text.length);
				expect(countReads(wanted, text + text).count).toBeLessThanOrEqual(
					2 * count + 4 * wanted.length,
				);
			}),
		);
	});
});

import { validate } from '../../../nodes/structuredOutput/validate';

/** Data with so many levels. */
function nested(levels: number): object {
	return levels === 1 ? {} : { child: nested(levels - 1) };
}

/** An object with so many names, each with a number. */
function numbered(names: number): object {
	return Object.fromEntries(Array.from({ length: names }, (_, index) => [`name ${index}`, index]));
}

const TWO_WAYS = { anyOf: [1, 2].map(() => ({ properties: { child: { $ref: '#' } } })) };

describe('validate', () => {
	// The number of ways doubles with each level.
	it.each<[string, unknown, object]>([
		['a schema with very many ways to check data', nested(40), TWO_WAYS],
		[
			'a pattern with very many ways to match a text',
			Array.from({ length: 10 }, () => 'ab'.repeat(500)),
			{ items: { pattern: '^(([ab]+)+)+$' } },
		],
		[
			'such a pattern for names',
			{ ['ab'.repeat(500)]: 1, ['ba'.repeat(500)]: 1 },
			{ patternProperties: { '^(([ab]+)+)+$': {} } },
		],
		[
			'very many names that a pattern matches',
			numbered(5_000),
			{ patternProperties: { '': true } },
		],
		[
			'a long list of choices',
			[...Array(20).keys()],
			{ items: { enum: [...Array(1_000).keys()] } },
		],
	])('ends after the given number of steps, for %s', async (_label, data, schema) => {
		await expect(validate(data, JSON.stringify(schema), 10_000)).rejects.toThrow('takes too long');
	});

	it('counts few steps for ordinary data', async () => {
		const offers = Array.from({ length: 100 }, (_, index) => ({ name: `${index}`, price: index }));
		const offer = {
			type: 'object',
			properties: { name: { pattern: '^\\d+$' }, price: { type: 'number' } },
			required: ['name', 'price'],
		};

		const mismatches = await validate(offers, JSON.stringify({ items: offer }), 10_000);

		expect(mismatches).toEqual([]);
	});

	it('names no mismatch at length, however many names a pattern matches', async () => {
		const schema = { patternProperties: { '^name': { type: 'string' } } };

		const mismatches = await validate(numbered(3_000), JSON.stringify(schema));

		expect(mismatches).toHaveLength(6_000);
		const lengths = mismatches.map((mismatch) => JSON.stringify(mismatch).length);
		expect(Math.max(...lengths)).toBeLessThan(10_000);
	});
});

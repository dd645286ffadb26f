import fc from 'fast-check';

import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';
import { schemaFromExample } from '../../../nodes/structuredOutput/OutputSchema';

const ANY_ROOT = fc.jsonValue({ maxDepth: 5 }).filter((value) => typeof value === 'object');

describe('schemaFromExample', () => {
	it('asks for the types and all keys of an example', () => {
		expect(schemaFromExample({ name: 'Desk lamp', price: 19.9, inStock: true })).toEqual({
			type: 'object',
			properties: {
				name: { type: 'string' },
				price: { type: 'number' },
				inStock: { type: 'boolean' },
			},
			required: ['name', 'price', 'inStock'],
		});
	});

	it.each([
		['null', null],
		['an empty array', []],
	])('allows anything where the example has %s', (_label, example) => {
		expect(schemaFromExample(example)).toEqual({});
	});

	it('allows the types of all entries of an array', () => {
		expect(schemaFromExample([1, 2, 'none', 3])).toEqual({
			type: 'array',
			items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
		});
	});

	it('makes a schema of any example, which the example matches', () => {
		fc.assert(
			fc.property(ANY_ROOT, (example) => {
				const schema = JSON.stringify(schemaFromExample(example));
				// Through JSON, which has no -0.
				const output = JSON.parse(JSON.stringify(example)) as unknown;

				expect(checkOutput(output, { schema })).toEqual({ output });
			}),
			{ numRuns: 500 },
		);
	});

	it('makes a schema that an example without one of its keys does not match', () => {
		const keys = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
		fc.assert(
			fc.property(keys, fc.nat(), (names, choice) => {
				const example = Object.fromEntries(names.map((name) => [name, 1]));
				const missing = names[choice % names.length] as string;
				const { [missing]: _left, ...output } = example;
				const schema = JSON.stringify(schemaFromExample(example));

				expect(checkOutput(output, { schema }).output_errors).toEqual([
					expect.stringContaining('is missing'),
				]);
			}),
		);
	});
});

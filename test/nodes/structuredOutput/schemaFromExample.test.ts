import fc from 'fast-check';

import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';
import { findSchemaError } from '../../../nodes/structuredOutput/findSchemaError';
import { schemaFromExample } from '../../../nodes/structuredOutput/schemaFromExample';

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

	it('asks for entries like one of those of an array', () => {
		expect(schemaFromExample([1, 2, 'none', 3])).toEqual({
			type: 'array',
			items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
		});
	});

	it('makes a usable schema of any example, which the example matches', async () => {
		await fc.assert(
			fc.asyncProperty(ANY_ROOT, async (example) => {
				const schema = schemaFromExample(example);

				expect(findSchemaError(schema)).toBeUndefined();
				// Through JSON, which has no -0.
				const output = JSON.parse(JSON.stringify(example)) as unknown;
				expect(await checkOutput(output, { schema: JSON.stringify(schema) })).toEqual({
					data: output,
				});
			}),
			{ numRuns: 500 },
		);
	});

	it('makes a schema that an example without one of its keys does not match', async () => {
		const keys = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(keys, fc.nat(), async (names, choice) => {
				const example = Object.fromEntries(names.map((name) => [name, 1]));
				const missing = names[choice % names.length] as string;
				const { [missing]: _left, ...output } = example;
				const schema = JSON.stringify(schemaFromExample(example));

				expect(await checkOutput(output, { schema })).toEqual({
					mismatches: [expect.stringContaining('is missing')],
				});
			}),
		);
	});
});

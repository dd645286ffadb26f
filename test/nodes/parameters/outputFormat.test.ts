import fc from 'fast-check';

import {
	OUTPUT_FORMAT_FIELDS,
	schemaFromExample,
	toOutputFormat,
} from '../../../nodes/parameters/outputFormat';
import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';
import { valuesIn } from '../../support/parameterContext';

function read(parameters: Record<string, unknown>) {
	return toOutputFormat(valuesIn(parameters, OUTPUT_FORMAT_FIELDS));
}

const readExample = (outputExample: unknown) => read({ outputFormat: 'example', outputExample });
const readSchema = (outputSchema: unknown) => read({ outputFormat: 'schema', outputSchema });

const SCHEMA = { type: 'object', required: ['price'] };
const SKETCH = { name: 'Text', price: 9.99, in_stock: true };

describe("'Output Format'", () => {
	it.each([
		['any output if it is not stored', {}, { parsesJson: false }],
		['any output', { outputFormat: 'any', outputExample: '{' }, { parsesJson: false }],
		['JSON', { outputFormat: 'json', outputSchema: '{' }, { parsesJson: true }],
	])('reads %s', (_label, parameters, format) => {
		expect(read(parameters)).toEqual(format);
	});

	it.each([
		['text', ' {"price": 5}\n'],
		['an object from an expression', { price: 5 }],
	])('derives a schema from an example that is %s', (_label, outputExample) => {
		const { schema = '', example = '' } = readExample(outputExample).outputSchema ?? {};

		expect(JSON.parse(schema)).toEqual({ ...SCHEMA, properties: { price: { type: 'number' } } });
		expect(JSON.parse(example)).toEqual({ price: 5 });
	});

	it.each([
		['text', JSON.stringify(SCHEMA)],
		['an object from an expression', SCHEMA],
	])('takes a schema that is %s', (_label, outputSchema) => {
		expect(readSchema(outputSchema).outputSchema).toEqual({ schema: JSON.stringify(SCHEMA) });
	});

	it('takes an example that has only the keys of the sketch', () => {
		const example = { name: 'Desk lamp', price: 19.9, in_stock: false };

		expect(JSON.parse(readExample(example).outputSchema?.example ?? '')).toEqual(example);
	});

	it.each<[string, unknown, string]>([
		['JSON null', 'null', 'it is neither an object nor an array'],
		['more than 100 kB', { a: 'x'.repeat(100_000) }, 'it is larger than 100 kB'],
		['nested 300 levels deep', `${'['.repeat(300)}${']'.repeat(300)}`, 'it is nested too deeply'],
		['the sketch, in another layout', SKETCH, "it is still the field's initial value"],
	])('rejects an example that is %s', (_label, example, reason) => {
		expect(() => readExample(example)).toThrow(`'Example' can't be used: ${reason}`);
	});

	it.each<[string, unknown, string]>([
		['blank', ' ', 'is empty'],
		['an unknown keyword', { nullable: true }, "can't be used: 'nullable' is not allowed"],
	])('rejects a schema that is %s', (_label, schema, problem) => {
		expect(() => readSchema(schema)).toThrow(`'JSON Schema' ${problem}`);
	});

	it.each<[string, object]>([
		['an envelope', { name: 'price', strict: true, schema: { type: 'object', properties: {} } }],
		['a tool definition', { name: 'price', input_schema: { type: 'object' }, description: 'A' }],
		['a function', { type: 'function', function: { name: 'a', parameters: {} } }],
		['a name', { $schema: 'https://json-schema.org/draft/2020-12/schema', name: 'price' }],
		['definitions', { $defs: { price: { type: 'number' } }, definitions: {} }],
		['keywords that need another one', { then: { type: 'string' }, minContains: 1 }],
		['nothing', {}],
	])('refuses a schema that checks nothing, with %s', (_label, schema) => {
		expect(() => readSchema(schema)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(/^'JSON Schema' can't be used: /) as string,
				details: { description: expect.stringMatching(/^Enter the schema alone/) as string },
			}) as Error,
		);
	});

	it.each<object>([
		{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
		{ name: 'price', required: ['price'] },
		{ enum: [1, 2] },
		{ not: { type: 'null' } },
		{ if: { type: 'string' }, then: { minLength: 1 } },
		{ additionalProperties: false },
	])('takes a schema that checks something: %j', (schema) => {
		expect(readSchema(schema).outputSchema?.schema).toBe(JSON.stringify(schema));
	});

	it("says in the parser's words why text is not JSON, and where", () => {
		const text = '{\n\t"a": 1\n\t"b": 2\n}';
		let reason = '';
		try {
			JSON.parse(text);
		} catch (error) {
			reason = (error as Error).message.replace(/\s+/g, ' ');
		}

		expect(() => readExample(` ${text}\n`)).toThrow(
			expect.objectContaining({ message: `'Example' is not valid JSON: ${reason}` }) as Error,
		);
	});

	it.each<[string, object]>([
		['several types', { type: ['object', 'null'], properties: {} }],
		['a type in capitals', { type: 'OBJECT', properties: { price: { type: 'NUMBER' } } }],
		['$schema', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
	])('refuses an example that is a JSON Schema: %s', (_label, schema) => {
		expect(() => readExample(schema)).toThrow("'Example' can't be used: it is a JSON Schema");
	});

	it.each<object>([
		{ type: 'invoice', items: [{ price: 5 }] },
		{ type: 'object', items: [{ name: 'Lamp' }] },
		{ type: 'invoice', properties: { rooms: 3 }, items: {} },
		{ type: 'array', required: true },
		{ properties: { rooms: 3 }, required: ['name'] },
	])('takes data with keys like those of a schema for an example: %j', (example) => {
		expect(readExample(example).outputSchema?.example).toBe(JSON.stringify(example));
	});

	it('says how to insert an object', () => {
		expect(() => readExample('{"price": [object Object]}')).toThrow(
			expect.objectContaining({
				message: expect.stringContaining("'Example' is not valid JSON: ") as string,
				details: { description: expect.stringContaining('.toJsonString()') as string },
			}) as Error,
		);
	});

	it('makes text from a schema harmless in its message', () => {
		const schema = { properties: { [`<b>${'x'.repeat(2_000)}`]: 1 } };

		expect(() => readSchema(schema)).toThrow(/^'JSON Schema' can't be used: 'properties.‹b›x+…$/);
	});
});

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

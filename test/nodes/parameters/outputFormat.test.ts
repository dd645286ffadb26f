import { readOutputFormat } from '../../../nodes/parameters/outputFormat';
import { parameterContext } from '../../support/parameterContext';

function read(parameters: Record<string, unknown>) {
	return readOutputFormat(parameterContext(parameters), 0);
}

const readExample = (outputExample: unknown) => read({ outputFormat: 'example', outputExample });
const readSchema = (outputSchema: unknown) => read({ outputFormat: 'schema', outputSchema });

const SCHEMA = { type: 'object', required: ['price'] };

describe("'Output Format'", () => {
	it.each([
		['any output if it is not stored', {}, { parsesJson: false }],
		[
			'any output, whatever the hidden fields hold',
			{ outputFormat: 'any', outputExample: '{' },
			{ parsesJson: false },
		],
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

	it('rejects a form that it does not have', () => {
		expect(() => read({ outputFormat: 'xml' })).toThrow("'Output Format' has no option 'xml'");
	});

	it.each([
		['empty', '', "'Example' is empty"],
		['blank', ' \n', "'Example' is empty"],
		['broken JSON', '{"a": }', "'Example' is not valid JSON"],
		['a number', 5, "'Example' can't be used: it is neither an object nor an array"],
		['a JSON string', '"text"', "'Example' can't be used: it is neither an object nor an array"],
		['JSON null', 'null', "'Example' can't be used: it is neither an object nor an array"],
		['true', true, "'Example' can't be used: it is neither an object nor an array"],
		[
			'more than 100 kB',
			{ a: 'x'.repeat(2_000_000) },
			"'Example' can't be used: it is larger than 100 kB",
		],
		[
			'nested 300 levels deep',
			`${'['.repeat(300)}${']'.repeat(300)}`,
			"'Example' can't be used: it is nested too deeply",
		],
	])('rejects an example that is %s', (_label, outputExample, message) => {
		expect(() => readExample(outputExample)).toThrow(expect.objectContaining({ message }) as Error);
	});

	it.each([
		['absent', undefined, "'JSON Schema' is empty"],
		['a word', 'string', "'JSON Schema' is not valid JSON"],
		['a JSON array', '[]', "'JSON Schema' can't be used: it is not an object"],
		['JSON true', 'true', "'JSON Schema' can't be used: it is not an object"],
		[
			'an object with an unknown keyword',
			{ nullable: true },
			"'JSON Schema' can't be used: 'nullable' is not allowed",
		],
		[
			'more than 100 kB',
			{ title: 'x'.repeat(100_000) },
			"'JSON Schema' can't be used: it is larger than 100 kB",
		],
		[
			'text of more than 100 kB',
			'é'.repeat(1_000_000),
			"'JSON Schema' can't be used: it is larger than 100 kB",
		],
		[
			'nested 300 levels deep',
			`${'{"not":'.repeat(300)}{}${'}'.repeat(300)}`,
			"'JSON Schema' can't be used: it is nested too deeply",
		],
	])('rejects a schema that is %s', (_label, outputSchema, message) => {
		expect(() => readSchema(outputSchema)).toThrow(expect.objectContaining({ message }) as Error);
	});

	it.each([{ type: 'strin' }, { type: 'object', price: 5 }, { properties: { a: 5 }, total: 119 }])(
		'takes a schema with a mistake for a schema: %j',
		(outputSchema) => {
			expect(() => readSchema(outputSchema)).toThrow(
				expect.objectContaining({
					details: { description: expect.stringMatching(/^Use keywords of JSON Schema/) as string },
				}) as Error,
			);
		},
	);

	it.each([
		['an object', { name: 'Desk lamp', price: 19.9 }],
		['an object whose first name is a keyword', { title: 'Offers', items: [{ price: 19.9 }] }],
		['an object with a type of its own', { type: 'invoice', total: 119 }],
		['a list', [{ price: 19.9 }]],
	])('tells how to use an example that was entered as a schema: %s', (_label, outputSchema) => {
		const description =
			"This looks like an example. To use it as one, set 'Output Format' to 'Like an Example'. If 'JSON Schema' is an expression, check its value for this item.";

		expect(() => readSchema(outputSchema)).toThrow(
			expect.objectContaining({ details: { description } }) as Error,
		);
	});

	it('tells how to write that a value may be null', () => {
		const schema = { type: 'object', properties: { price: { type: 'number', nullable: true } } };

		expect(() => readSchema(schema)).toThrow(
			expect.objectContaining({
				message: "'JSON Schema' can't be used: 'properties.price.nullable' is not allowed",
				details: { description: expect.stringContaining('"type": ["string", "null"]') as string },
			}) as Error,
		);
	});

	it.each([
		['an unknown keyword', { type: 'string', contentEncoding: 'base64' }],
		['a keyword with a wrong value', { minimum: '5' }],
		['a type that it does not have', { type: 'text' }],
	])('takes a schema for a schema in spite of %s', (_label, outputSchema) => {
		expect(() => readSchema(outputSchema)).toThrow(
			expect.objectContaining({
				details: { description: expect.stringMatching(/^Use keywords of JSON Schema/) as string },
			}) as Error,
		);
	});

	it('makes text from a schema harmless in its message', () => {
		const schema = { [`<b>${'x'.repeat(2_000)}`]: 1 };

		expect(() => readSchema(schema)).toThrow(/^'JSON Schema' can't be used: '‹b›x+…$/);
	});
});

import { readOutputSchema } from '../../../nodes/parameters/structuredOutput';
import { parameterContext } from '../../support/parameterContext';

function read(options: Record<string, unknown>) {
	return readOutputSchema(parameterContext({ options }), 0);
}

const SCHEMA = { type: 'object', required: ['price'] };

describe('readOutputSchema', () => {
	it.each([
		['not set', {}],
		['blank', { outputExample: '', outputSchema: ' \n' }],
		['expressions without a value', { outputExample: null, outputSchema: undefined }],
	])('is undefined for parameters that are %s', (_label, options) => {
		expect(read(options)).toBeUndefined();
	});

	it.each([
		['text', ' {"price": 5}\n'],
		['an object from an expression', { price: 5 }],
	])('derives a schema from an example that is %s', (_label, outputExample) => {
		const { schema = '', example = '' } = read({ outputExample, outputSchema: '' }) ?? {};

		expect(JSON.parse(schema)).toEqual({ ...SCHEMA, properties: { price: { type: 'number' } } });
		expect(JSON.parse(example)).toEqual({ price: 5 });
	});

	it.each([
		['text', JSON.stringify(SCHEMA)],
		['an object from an expression', SCHEMA],
	])('takes a schema that is %s', (_label, outputSchema) => {
		expect(read({ outputSchema })).toEqual({ schema: JSON.stringify(SCHEMA) });
	});

	it.each<[Record<string, unknown>, string]>([
		[
			{ outputExample: { a: 1 }, outputSchema: {} },
			"'Output Like This Example' and 'Output JSON Schema' are both set",
		],
		[{ outputExample: '{"a": }' }, "'Output Like This Example' is not valid JSON"],
		[{ outputSchema: 'string' }, "'Output JSON Schema' is not valid JSON"],
		[{ outputExample: 5 }, "'Output Like This Example' is neither an object nor an array"],
		[{ outputExample: '"text"' }, "'Output Like This Example' is neither an object nor an array"],
		[{ outputExample: 'null' }, "'Output Like This Example' is neither an object nor an array"],
		[{ outputExample: true }, "'Output Like This Example' is neither an object nor an array"],
		[{ outputSchema: '[]' }, "'Output JSON Schema' can't be used: it is not an object"],
		[{ outputSchema: 'true' }, "'Output JSON Schema' can't be used: it is not an object"],
		[
			{ outputSchema: { nullable: true } },
			"'Output JSON Schema' can't be used: nullable: is not allowed",
		],
		[
			{ outputSchema: { title: 'x'.repeat(100_000) } },
			"'Output JSON Schema' is larger than 100 kB",
		],
		[{ outputSchema: 'é'.repeat(1_000_000) }, "'Output JSON Schema' is larger than 100 kB"],
		[
			{ outputExample: { a: 'x'.repeat(2_000_000) } },
			"'Output Like This Example' is larger than 100 kB",
		],
		[
			{ outputExample: `${'['.repeat(300)}${']'.repeat(300)}` },
			"'Output Like This Example' is nested too deeply",
		],
		[
			{ outputSchema: `${'{"not":'.repeat(300)}{}${'}'.repeat(300)}` },
			"'Output JSON Schema' is nested too deeply",
		],
	])('rejects %j', (options, message) => {
		expect(() => read(options)).toThrow(expect.objectContaining({ message }) as Error);
	});

	it('makes text from a schema harmless in its message', () => {
		const outputSchema = { [`<b>${'x'.repeat(2_000)}`]: 1 };

		expect(() => read({ outputSchema })).toThrow(/^'Output JSON Schema' can't be used: ‹b›x+…$/);
	});
});

import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';
import { readSchema } from '../../../nodes/structuredOutput/readSchema';

const NO_PATH = "must be a path in the schema, e.g. '#/$defs/name'";

function read(schema: object) {
	return readSchema(JSON.stringify(schema));
}

describe('readSchema', () => {
	it.each<object>([
		{ $comment: 'A', title: 'B', description: 'C', default: 1, examples: [2] },
		{ contentEncoding: 'base64', contentSchema: { nullable: true } },
		{ 'x-order': 1, 'x-enum': { $id: 'a' }, example: { $ref: '#/nowhere' } },
		{ constructor: {}, id: 'a', $anchor: 'a', $dynamicAnchor: 'a', price: 5 },
		{ const: { $ref: '#/nowhere' }, enum: [{ $ref: 'https://example.com' }] },
		{ example: { id: 'http://[', $id: 'http://[', $anchor: '#' } },
	])('accepts annotations and unknown keywords, which ask for nothing: %j', (annotations) => {
		const item = { type: 'number', ...annotations };

		expect(() => read({ type: 'array', items: item, ...annotations })).not.toThrow();
	});

	it.each<object>([
		{},
		{ description: 'Anything' },
		{ name: 'Desk lamp', price: 19.9 },
		{ name: 'offer', strict: true, schema: { type: 'object' } },
	])('accepts %j, which anything matches', (schema) => {
		expect(() => read(schema)).not.toThrow();
		expect(checkOutput('[1]', { schema: JSON.stringify(schema) })).toEqual({ output: [1] });
	});

	it.each(['int64', 'url', ''])(
		'accepts the format %j, which JSON Schema does not define',
		(format) => {
			expect(() => read({ type: 'array', items: { format } })).not.toThrow();
		},
	);

	it.each<[object, string]>([
		[{ nullable: true }, "'nullable' is not allowed"],
		[{ properties: { a: { nullable: true } } }, "'properties.a.nullable' is not allowed"],
		[{ type: 'object', $vocabulary: {} }, "'$vocabulary' is not allowed"],
		[{ items: { $id: 'a' } }, "'items.$id' is not allowed"],
		[
			{ $schema: 'https://example.com/meta.json' },
			'\'$schema\' does not match pattern "^https?://json-schema\\\\.org/"',
		],
		[{ required: 'name' }, "'required' must be array, not string"],
		[{ type: [] }, "'type' does not match minItems 1"],
		[{ minItems: -1 }, "'minItems' does not match minimum 0"],
		[{ properties: { a: 'string' } }, "'properties.a' must be object or boolean, not string"],
		[{ dependencies: { a: ['b'] } }, "'dependencies' is not allowed"],
		[{ pattern: '(' }, '\'pattern\' does not match format "regex"'],
		[{ $ref: 'https://example.com/a.json' }, `'$ref' ${NO_PATH}`],
		[{ items: { $ref: '#/$defs/a' }, $defs: {} }, `'items.$ref' ${NO_PATH}`],
		[{ $ref: '#/$defs/%', $defs: { '%': {} } }, `'$ref' ${NO_PATH}`],
		[{ $ref: '#/required', required: ['a'] }, `'$ref' ${NO_PATH}`],
		[{ $ref: '#/constructor' }, `'$ref' ${NO_PATH}`],
		[{ $ref: '#a', $defs: { b: { $anchor: 'a' } } }, `'$ref' ${NO_PATH}`],
		[{ $ref: '#/c/a', c: { a: { items: { nullable: true } } } }, "'items.nullable' is not allowed"],
		[{ $ref: '#/c/a', c: { a: { items: { $ref: '#/c/b' } } } }, `'items.$ref' ${NO_PATH}`],
		[
			{ $id: 'https://a.example/a', items: { $ref: 'https://a.example/b' } },
			`'items.$ref' ${NO_PATH}`,
		],
	])('rejects %j', (schema, error) => {
		expect(() => read(schema)).toThrow(expect.objectContaining({ message: error }) as Error);
	});

	it.each(['[]', 'true', '"a"', '1'])('rejects %s, which is no object', (json) => {
		expect(() => readSchema(json)).toThrow('it is not an object');
	});

	it('rejects a type that JSON Schema does not have', () => {
		expect(() => read({ type: 'text' })).toThrow(/^'type' must be one of "array", "boolean", /);
	});

	it.each(['regex', 'iri'])('rejects the format %s, which would not be checked', (format) => {
		expect(() => read({ type: 'object', properties: { a: { format } } })).toThrow(
			"'properties.a.format' is not allowed",
		);
	});

	it('accepts 500 references in a row', () => {
		const chain = Array.from({ length: 500 }, (_, index) => [
			`a${index}`,
			{ $ref: `#/$defs/a${index + 1}` },
		]);

		expect(() => read({ $defs: { ...Object.fromEntries(chain), a500: {} } })).not.toThrow();
	});

	it('accepts an empty schema, which anything matches', () => {
		expect(() => read({})).not.toThrow();
	});
});

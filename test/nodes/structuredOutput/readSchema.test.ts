import { readSchema } from '../../../nodes/structuredOutput/readSchema';

function read(schema: object) {
	return readSchema(JSON.stringify(schema));
}

// That no other schemas are refused is tested with the JSON Schema Test Suite.
describe('readSchema', () => {
	it('accepts annotations, which ask for nothing', () => {
		const texts = { $comment: 'A', title: 'B', description: 'C' };
		const flags = { deprecated: true, readOnly: true, writeOnly: false };

		expect(() => read({ ...texts, ...flags, default: 1, examples: [2] })).not.toThrow();
	});

	it.each<[object, string]>([
		[{ nullable: true }, "'nullable' is not allowed"],
		[{ items: { contentEncoding: 'base64' } }, "'items.contentEncoding' is not allowed"],
		[{ $dynamicRef: '#x' }, "'$dynamicRef' is not allowed"],
		[{ $recursiveRef: '#' }, "'$recursiveRef' is not allowed"],
		[{ constructor: {} }, "'constructor' is not allowed"],
		[{ items: { $id: 'a' } }, "'items.$id' is not allowed"],
		[
			{ $schema: 'https://example.com/meta.json' },
			'\'$schema\' does not match pattern "^https?://json-schema\\\\.org/"',
		],
		[{ required: 'name' }, "'required' must be array, not string"],
		[{ minimum: '5' }, "'minimum' must be number, not string"],
		[{ minItems: -1 }, "'minItems' does not match minimum 0"],
		[{ exclusiveMinimum: true }, "'exclusiveMinimum' must be number, not boolean"],
		[{ enum: 'a' }, "'enum' must be array, not string"],
		[{ properties: [] }, "'properties' must be object, not array"],
		[{ properties: { a: 'string' } }, "'properties.a' must be object or boolean, not string"],
		[{ anyOf: {} }, "'anyOf' must be array, not object"],
		[{ allOf: [null] }, "'allOf[0]' must be object or boolean, not null"],
		[{ not: [] }, "'not' must be object or boolean, not array"],
		[{ dependencies: { a: ['b'] } }, "'dependencies' is not allowed"],
		[
			{ properties: { 'a/b': { pattern: '(' } } },
			'\'properties.a/b.pattern\' does not match format "regex"',
		],
		[
			{ $ref: 'https://example.com/offer.json' },
			"'$ref' points to nothing in the schema, or is circular (https://example.com/offer.json)",
		],
		[
			{ items: { $ref: '#/$defs/offer' }, $defs: {} },
			"'$ref' points to nothing in the schema, or is circular (#/$defs/offer)",
		],
		[
			{ $ref: '#/properties', properties: {} },
			"'$ref' points to nothing in the schema, or is circular (#/properties)",
		],
		[{ $ref: '#' }, "'$ref' points to nothing in the schema, or is circular (#)"],
		[
			{ items: { allOf: [{ not: { $ref: '#/$defs/a' } }] }, $defs: { a: { $ref: '#/items' } } },
			"'$ref' points to nothing in the schema, or is circular (#/$defs/a)",
		],
		[
			{
				properties: { a: { $ref: '#x' } },
				$defs: { a: { $anchor: 'x', anyOf: [{ $ref: '#x' }] } },
			},
			"'$ref' points to nothing in the schema, or is circular (#x)",
		],
	])('rejects %j', (schema, error) => {
		expect(() => read(schema)).toThrow(expect.objectContaining({ message: error }) as Error);
	});

	it.each([
		['type', 'text', /^'type' must be one of "array", "boolean", /],
		['format', 'int32', /^'format' must be one of "date", /],
		['format', 'ipv4', /^'format' must be one of/],
		['format', 'url', /^'format' must be one of/],
		['format', 'regex', /^'format' must be one of/],
	])('rejects %s %s', (keyword, value, error) => {
		expect(() => read({ [keyword]: value })).toThrow(error);
	});

	it('rejects a reference that is badly encoded', () => {
		expect(() => read({ $ref: '#/$defs/%' })).toThrow();
	});

	it('accepts 500 references in a row', () => {
		const chain = Array.from({ length: 500 }, (_, index) => [
			`a${index}`,
			{ $ref: `#/$defs/a${index + 1}` },
		]);

		expect(() => read({ $defs: { ...Object.fromEntries(chain), a500: {} } })).not.toThrow();
	});
});

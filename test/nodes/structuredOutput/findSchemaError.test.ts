import { Validator } from '@cfworker/json-schema';

import { findSchemaError } from '../../../nodes/structuredOutput/findSchemaError';

/** So many schemas, each of which refers to the one before; the first one is for text. */
function chainOf(length: number): Array<[string, object]> {
	return Array.from({ length }, (_, index) => {
		return [`a${index}`, index === 0 ? { type: 'string' } : { $ref: `#/$defs/a${index - 1}` }];
	});
}

describe('findSchemaError', () => {
	it.each<[string, object]>([
		['nothing', {}],
		['annotations', { $schema: 'http://json-schema.org/draft-07/schema#', title: 'A', default: 1 }],
		['an identifier', { $id: 'https://example.com/offer.json', type: 'object' }],
		['types', { type: ['string', 'null'], properties: { a: { type: 'integer' }, b: true } }],
		['lists', { items: [{ type: 'number' }], additionalItems: false, uniqueItems: true }],
		['draft 2020-12', { prefixItems: [{}], unevaluatedItems: false, minContains: 1, contains: {} }],
		['conditions', { if: { required: ['a'] }, then: { minProperties: 1 }, else: { not: {} } }],
		['dependencies', { dependencies: { a: ['b'], c: { required: ['d'] } } }],
		['dependencies of 2020-12', { dependentRequired: { a: ['b'] }, dependentSchemas: { c: {} } }],
		['a reference', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'string' } } }],
		['a reference to an anchor', { items: { $ref: '#item' }, $defs: { x: { $anchor: 'item' } } }],
		['a reference to itself', { properties: { child: { $ref: '#' } } }],
		['names that are keywords', { properties: { nullable: {}, $ref: { type: 'string' } } }],
		['formats and patterns', { format: 'date-time', pattern: '^\\d+$' }],
		['patterns of names', { patternProperties: { '^x-': {} }, propertyNames: { maxLength: 9 } }],
		['numbers', { minimum: 0, exclusiveMaximum: 1.5, multipleOf: 0.1 }],
	])('accepts %s, as the library does', (_label, schema) => {
		expect(findSchemaError(schema as never)).toBeUndefined();
		expect(() => new Validator(structuredClone(schema)).validate({})).not.toThrow();
	});

	it.each<[object, string]>([
		[{ nullable: true }, "'nullable' at # is not supported"],
		[{ items: { contentEncoding: 'base64' } }, "'contentEncoding' at #/items is not supported"],
		[{ $dynamicRef: '#x' }, "'$dynamicRef' at # is not supported"],
		[{ $recursiveRef: '#' }, "'$recursiveRef' at # is not supported"],
		[{ constructor: {} }, "'constructor' at # is not supported"],
		[{ items: { $id: 'a' } }, "'$id' at #/items is not supported"],
		[{ type: 'text' }, "'type' at # has a value that is not supported"],
		[{ required: 'name' }, "'required' at # has a value that is not supported"],
		[{ minimum: '5' }, "'minimum' at # has a value that is not supported"],
		[{ minItems: -1 }, "'minItems' at # has a value that is not supported"],
		[{ exclusiveMinimum: true }, "'exclusiveMinimum' at # has a value that is not supported"],
		[{ format: 'int32' }, "'format' at # has a value that is not supported"],
		[{ format: 'url' }, "'format' at # has a value that is not supported"],
		[{ enum: 'a' }, "'enum' at # has a value that is not supported"],
		[
			{ properties: { 'a/b': { pattern: '(' } } },
			"'pattern' at #/properties/a~1b has a value that is not supported",
		],
		[
			{ patternProperties: { '(a)\\1': {} } },
			"'patternProperties' at # has a value that is not supported",
		],
		[{ properties: [] }, '#/properties is not a schema'],
		[{ properties: { a: 'string' } }, '#/properties/a is not a schema'],
		[{ anyOf: {}, allOf: [null] }, '#/allOf/0 is not a schema'],
		[{ not: [] }, '#/not is not a schema'],
		[
			{ $ref: 'https://example.com/offer.json' },
			"'$ref' at # points to nothing within the schema: https://example.com/offer.json",
		],
		[
			{ items: { $ref: '#/$defs/offer' }, $defs: {} },
			"'$ref' at #/items points to nothing within the schema: #/$defs/offer",
		],
		[
			{ $ref: '#/properties', properties: {} },
			"'$ref' at # points to nothing within the schema: #/properties",
		],
		[{ $ref: '#' }, "'$ref' leads from # to itself"],
		[
			{ items: { allOf: [{ not: { $ref: '#/$defs/a' } }] }, $defs: { a: { $ref: '#/items' } } },
			"'$ref' leads from #/items/allOf/0/not to itself",
		],
		[
			{
				properties: { a: { $ref: '#x' } },
				$defs: { a: { $anchor: 'x', anyOf: [{ $ref: '#x' }] } },
			},
			"'$ref' leads from #/$defs/a to itself",
		],
		[
			{ patternProperties: { a: {} }, items: { $ref: '#/patternProperties/a' } },
			"'$ref' at #/items points to nothing within the schema: #/patternProperties/a",
		],
	])('rejects %j', (schema, error) => {
		expect(findSchemaError(schema as never)).toBe(error);
	});

	it('accepts a chain of 100 schemas, as the library does', () => {
		const schema = { $defs: Object.fromEntries(chainOf(99)), $ref: '#/$defs/a98' };
		expect(findSchemaError(schema)).toBeUndefined();
		expect(new Validator(schema).validate(1).valid).toBe(false);
	});

	it.each<[string, Array<[string, object]>]>([
		['101 schemas', chainOf(101).reverse()],
		['101 schemas, the last one first', chainOf(101)],
		['20,000 schemas', chainOf(20_000).reverse()],
		['20,000 schemas, the last one first', chainOf(20_000)],
	])('rejects a chain of %s', (_label, chain) => {
		const error = /^'\$ref' leads to #\/\$defs\/a\d+ through more than 100 schemas$/;
		expect(findSchemaError({ $defs: Object.fromEntries(chain) })).toMatch(error);
	});
});

import { readSchema } from '../../../nodes/structuredOutput/readSchema';

function read(schema: object) {
	return readSchema(JSON.stringify(schema));
}

// That no other schemas are refused is tested with the JSON Schema Test Suite.
describe('readSchema', () => {
	it.each<object>([
		{ $comment: 'A', title: 'B', description: 'C', default: 1, examples: [2] },
		{ deprecated: true, readOnly: true, writeOnly: false },
		{ contentEncoding: 'base64', contentMediaType: 'image/png', contentSchema: { nullable: true } },
		{ 'x-order': 1, 'x-enum': { $id: 'a' }, example: { $ref: '#/nowhere' } },
		{ discriminator: { propertyName: 'a', mapping: { b: '#/c' } }, xml: {}, externalDocs: {} },
		{ errorMessage: 'No', propertyOrdering: ['a'], markdownDescription: '**a**' },
		{ constructor: {}, id: 'a', $dynamicAnchor: 'a', price: 5 },
		{ example: { id: 'http://[', $id: 'http://[', $anchor: '#' } },
	])('accepts annotations and unknown keywords, which ask for nothing: %j', (annotations) => {
		const item = { type: 'number', ...annotations };

		expect(() => read({ type: 'array', items: item, ...annotations })).not.toThrow();
	});

	it.each(['int32', 'int64', 'float', 'url', 'password', 'byte', 'phone', ''])(
		'accepts the format %j, which JSON Schema does not define',
		(format) => {
			expect(read({ type: 'array', items: { format } })).toEqual({ type: 'array', items: {} });
		},
	);

	it.each<[object, string]>([
		[{ nullable: true }, "'nullable' is not allowed"],
		[{ properties: { a: { nullable: true } } }, "'properties.a.nullable' is not allowed"],
		[{ type: 'object', $vocabulary: {} }, "'$vocabulary' is not allowed"],
		[{ type: 'object', $dynamicRef: '#x' }, "'$dynamicRef' is not allowed"],
		[{ type: 'object', $recursiveRef: '#' }, "'$recursiveRef' is not allowed"],
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
		[
			{ $ref: '#/components/a', components: { b: {} } },
			"'$ref' points to nothing in the schema, or is circular (#/components/a)",
		],
		[
			{ $ref: '#/components/a', components: { a: { properties: { b: { nullable: true } } } } },
			"'properties.b.nullable' is not allowed",
		],
		[
			{ $ref: '#/components/a', components: { a: { $ref: '#/components/a' } } },
			"'$ref' points to nothing in the schema, or is circular (#/$defs/#~1components~1a)",
		],
		[
			{ $id: 'https://example.com/a', items: { $ref: 'https://example.com/b#/$defs/c' } },
			"'$ref' points to nothing in the schema, or is circular (https://example.com/b#/$defs/c)",
		],
		[
			{ $id: 'https://example.com/a', $ref: 'https://example.com/a' },
			"'$ref' points to nothing in the schema, or is circular (#)",
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

	it('rejects a type that JSON Schema does not have', () => {
		expect(() => read({ type: 'text' })).toThrow(/^'type' must be one of "array", "boolean", /);
	});

	it.each(['regex', 'idn-email', 'idn-hostname', 'iri', 'iri-reference'])(
		'rejects the format %s, which would not be checked',
		(format) => {
			expect(() => read({ type: 'object', properties: { a: { format } } })).toThrow(
				expect.objectContaining({
					message: "'properties.a.format' is not allowed",
					advice: expect.stringContaining(format) as string,
				}) as Error,
			);
		},
	);

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

	const SCHEMA = { type: 'object', properties: { price: { type: 'number' } } };

	it.each<[string, unknown, string]>([
		[
			"OpenAI's response_format",
			{ type: 'json_schema', json_schema: { name: 'x', strict: true, schema: SCHEMA } },
			'json_schema.schema',
		],
		[
			"a request with OpenAI's response_format",
			{ response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } } },
			'response_format.json_schema.schema',
		],
		[
			"a request with OpenAI's text format",
			{ text: { format: { type: 'json_schema', name: 'x', schema: SCHEMA } } },
			'text.format.schema',
		],
		["OpenAI's text format", { format: { type: 'json_schema', schema: SCHEMA } }, 'format.schema'],
		['a tool', { name: 'x', description: 'X', input_schema: SCHEMA }, 'input_schema'],
		[
			'a tool of MCP',
			{ name: 'x', title: 'X', inputSchema: SCHEMA, annotations: {} },
			'inputSchema',
		],
		['a function', { name: 'x', parameters: SCHEMA }, 'parameters'],
		[
			'a function in a tool',
			{ type: 'function', function: { name: 'x', parameters: SCHEMA } },
			'function.parameters',
		],
		[
			'a list of tools',
			[{ type: 'function', function: { name: 'x', parameters: SCHEMA } }],
			'[0].function.parameters',
		],
		[
			"Firecrawl's options",
			{ formats: ['json'], jsonOptions: { prompt: 'x', schema: SCHEMA } },
			'jsonOptions.schema',
		],
		["Firecrawl's format", { type: 'json', schema: SCHEMA }, 'schema'],
		[
			'a response of OpenAPI',
			{ description: 'OK', content: { 'application/json': { schema: SCHEMA } } },
			'content.application/json.schema',
		],
		[
			'a parameter of OpenAPI',
			{ name: 'x', in: 'query', required: true, schema: { type: 'string' } },
			'schema',
		],
		[
			'an unknown envelope',
			{ 'next-year': { output: { shape: SCHEMA } } },
			'next-year.output.shape',
		],
		[
			'a schema with $schema only',
			{ a: { $schema: 'https://json-schema.org/draft-07/schema#' } },
			'a',
		],
		['a schema with a reference', { schema: { $ref: '#/$defs/a', $defs: { a: {} } } }, 'schema'],
		['a schema of alternatives', { schema: { anyOf: [{ type: 'string' }, SCHEMA] } }, 'schema'],
		['a schema without a type', { schema: { properties: { a: {} } } }, 'schema'],
		['definitions to which nothing refers', { $defs: { offer: SCHEMA } }, '$defs.offer'],
		['a list of one schema', [SCHEMA], '[0]'],
	])('names the place of the schema in %s', (_label, entered, path) => {
		expect(() => readSchema(JSON.stringify(entered))).toThrow(
			expect.objectContaining({
				message: `the schema is only a part of it, in '${path}'`,
				advice: `Enter only the schema in '${path}'.`,
			}) as Error,
		);
	});

	it.each<[string, unknown, string]>([
		[
			'data with keys like those of a schema',
			{ offer: { type: 'sale', items: [] } },
			"'offer' is not allowed",
		],
		[
			'data with the type of a schema',
			{ chart: { type: 'array', values: [1] } },
			"'chart' is not allowed",
		],
	])('takes %s for an example', (_label, entered, message) => {
		expect(() => readSchema(JSON.stringify(entered))).toThrow(
			expect.objectContaining({
				message,
				advice: expect.stringContaining('This looks like an example.') as string,
			}) as Error,
		);
	});

	it.each<[string, object]>([
		['two schemas', { name: 'x', inputSchema: SCHEMA, outputSchema: SCHEMA }],
		['a schema four levels down', { name: { b: { c: { d: SCHEMA } } } }],
	])('names no place in %s', (_label, entered) => {
		expect(() => read(entered)).toThrow(
			expect.objectContaining({
				message: "'name' is not allowed",
				advice: expect.stringContaining('Enter one schema') as string,
			}) as Error,
		);
	});

	it('takes a schema that contains others for a schema', () => {
		expect(() => read({ type: 'object', schema: SCHEMA })).not.toThrow();
	});
});

import { isObject } from '../isObject';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer', minimum: 0 };
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
// The formats that the library checks, except 'regex'; 'ipv4', where it allows leading zeros; and
// 'url', where it takes exponential time.
const FORMATS = [
	'date',
	'date-time',
	'duration',
	'time',
	'email',
	'hostname',
	'ipv6',
	'uri',
	'uri-reference',
	'uri-template',
	'json-pointer',
	'json-pointer-uri-fragment',
	'relative-json-pointer',
	'uuid',
];
const PATTERN = { type: 'string', format: 'regex' };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA };
const SCHEMA_OR_SCHEMAS = listOr(SCHEMA, SCHEMA);
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA };
const SCHEMAS_BY_PATTERN = { ...NAMED_SCHEMAS, propertyNames: PATTERN };

/** The supported keywords, each with what its value must match. */
const KEYWORDS: Record<string, JsonSchema> = {
	...all({}, [
		'$comment',
		'const',
		'default',
		'deprecated',
		'description',
		'examples',
		'readOnly',
		'title',
		'writeOnly',
	]),
	...all({ type: 'number' }, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
	...all(TEXT, ['$anchor', '$ref']),
	...all(COUNT, [
		'maxContains',
		'maxItems',
		'maxLength',
		'maxProperties',
		'minContains',
		'minItems',
		'minLength',
		'minProperties',
	]),
	...all(SCHEMA, [
		'additionalItems',
		'additionalProperties',
		'contains',
		'else',
		'if',
		'not',
		'propertyNames',
		'then',
		'unevaluatedItems',
		'unevaluatedProperties',
	]),
	...all(SCHEMAS, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
	...all(NAMED_SCHEMAS, ['$defs', 'definitions', 'dependentSchemas', 'properties']),
	$schema: { type: 'string', pattern: '^https?://json-schema\\.org/' },
	dependentRequired: { type: 'object', additionalProperties: TEXTS },
	enum: { type: 'array' },
	format: { enum: FORMATS },
	items: SCHEMA_OR_SCHEMAS,
	multipleOf: { type: 'number', exclusiveMinimum: 0 },
	pattern: PATTERN,
	patternProperties: SCHEMAS_BY_PATTERN,
	required: TEXTS,
	type: listOr(TYPE, TYPE),
	uniqueItems: { type: 'boolean' },
};

function all(schema: JsonSchema, keywords: string[]): Record<string, JsonSchema> {
	return Object.fromEntries(keywords.map((keyword) => [keyword, schema]));
}

/**
 * Returns a schema for an array of values that match `entry`, or for a value that matches `other`.
 */
function listOr(entry: JsonSchema, other: JsonSchema): JsonSchema {
	return { if: { type: 'array' }, then: { items: entry }, else: other };
}

/** What a schema must match to be supported. */
export const META_SCHEMA = {
	type: ['object', 'boolean'],
	properties: KEYWORDS,
	additionalProperties: false,
};

/** Whether a keyword's value contains schemas. */
export function isApplicator(keyword: string): boolean {
	const kinds = [SCHEMA, SCHEMAS, SCHEMA_OR_SCHEMAS, NAMED_SCHEMAS, SCHEMAS_BY_PATTERN];
	return keyword === '$ref' || kinds.some((kind) => kind === KEYWORDS[keyword]);
}

/**
 * Yields a schema and all schemas within it, outer ones before inner ones, so that the caller may
 * change a schema before those within it are visited. Yields no schema that is `true` or `false`.
 */
export function* schemasIn(schema: unknown): Generator<JsonSchema> {
	if (!isObject(schema)) return;
	yield schema;
	for (const [keyword, value] of Object.entries(schema)) {
		if (!isApplicator(keyword)) continue;
		const areNamed = KEYWORDS[keyword]?.type === 'object';
		if (areNamed || Array.isArray(value)) {
			for (const one of Object.values(value as object)) yield* schemasIn(one);
		} else {
			yield* schemasIn(value);
		}
	}
}

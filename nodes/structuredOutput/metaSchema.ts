import { isObject } from '../isObject';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer', minimum: 0 };
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
// All but 'ipv4', where the library allows leading zeros, and 'url', which takes exponential time.
const TIMES = ['date', 'date-time', 'duration', 'time'];
const ADDRESSES = ['email', 'hostname', 'ipv6', 'uri', 'uri-reference', 'uri-template'];
const POINTERS = ['json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer'];
const PATTERN = { type: 'string', format: 'regex' };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA };
const SCHEMA_OR_SCHEMAS = listOr(SCHEMA, SCHEMA);
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA };
const SCHEMAS_BY_PATTERN = { ...NAMED_SCHEMAS, propertyNames: PATTERN };

const KEYWORDS: Record<string, JsonSchema> = {
	...all({}, ['$comment', 'const', 'default', 'deprecated', 'description', 'examples']),
	...all({}, ['readOnly', 'title', 'writeOnly']),
	...all({ type: 'number' }, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
	...all(TEXT, ['$anchor', '$ref']),
	...all(COUNT, ['maxContains', 'maxItems', 'maxLength', 'maxProperties']),
	...all(COUNT, ['minContains', 'minItems', 'minLength', 'minProperties']),
	...all(SCHEMA, ['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'not']),
	...all(SCHEMA, ['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties']),
	...all(SCHEMAS, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
	...all(NAMED_SCHEMAS, ['$defs', 'definitions', 'dependentSchemas', 'properties']),
	$schema: { type: 'string', pattern: '^https?://json-schema\\.org/' },
	dependentRequired: { type: 'object', additionalProperties: TEXTS },
	enum: { type: 'array' },
	format: { enum: [...TIMES, ...ADDRESSES, ...POINTERS, 'uuid'] },
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
 * A schema and those within it, the outer ones first, so that a caller may still change the inner
 * ones.
 */
export function* schemasIn(schema: unknown): Generator<JsonSchema> {
	if (!isObject(schema)) return;
	yield schema;
	for (const [keyword, value] of Object.entries(schema)) {
		if (!isApplicator(keyword)) continue;
		const areNamed = KEYWORDS[keyword]?.type === 'object';
		const inner = areNamed ? Object.values(value as JsonSchema) : [value].flat();
		for (const one of inner) yield* schemasIn(one);
	}
}

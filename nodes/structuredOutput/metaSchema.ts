import { isObject } from '../isObject';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer', minimum: 0 };
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
// Formats of JSON Schema that are not checked: the library doesn't know them or, for 'regex', knows
// other regular expressions. Any other format is an annotation, as in JSON Schema.
export const UNCHECKED_FORMATS = ['idn-email', 'idn-hostname', 'iri', 'iri-reference', 'regex'];
// Keywords that assert or refer to something, and that the library ignores or reads differently.
const UNCHECKED_KEYWORDS = [
	'$dynamicRef',
	// That of the whole schema is handled by `readSchema`.
	'$id',
	'$recursiveRef',
	'$vocabulary',
	'dependencies',
	'nullable',
];
const PATTERN = { type: 'string', format: 'regex' };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA };
const SCHEMA_OR_SCHEMAS = listOr(SCHEMA, SCHEMA);
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA };
const SCHEMAS_BY_PATTERN = { ...NAMED_SCHEMAS, propertyNames: PATTERN };

/** The keywords that neither assert nor refer, each with what its value must match. */
const ANNOTATIONS: Record<string, JsonSchema> = {
	...all({}, [
		'$comment',
		'default',
		'deprecated',
		'description',
		'examples',
		'readOnly',
		'title',
		'writeOnly',
	]),
	...all(NAMED_SCHEMAS, ['$defs', 'definitions']),
	$anchor: TEXT,
	$schema: { type: 'string', pattern: '^https?://json-schema\\.org/' },
};

/** The other supported keywords. */
const ASSERTIONS: Record<string, JsonSchema> = {
	...all({ type: 'number' }, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
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
	...all(NAMED_SCHEMAS, ['dependentSchemas', 'properties']),
	$ref: TEXT,
	const: {},
	dependentRequired: { type: 'object', additionalProperties: TEXTS },
	enum: { type: 'array' },
	format: { type: 'string', if: { enum: UNCHECKED_FORMATS }, then: false },
	items: SCHEMA_OR_SCHEMAS,
	multipleOf: { type: 'number', exclusiveMinimum: 0 },
	pattern: PATTERN,
	patternProperties: SCHEMAS_BY_PATTERN,
	required: TEXTS,
	type: listOr(TYPE, TYPE),
	uniqueItems: { type: 'boolean' },
};

const KEYWORDS = { ...ANNOTATIONS, ...ASSERTIONS };

function all<T>(schema: T, keywords: string[]): Record<string, T> {
	return Object.fromEntries(keywords.map((keyword) => [keyword, schema]));
}

/**
 * Returns a schema for an array of values that match `entry`, or for a value that matches `other`.
 */
function listOr(entry: JsonSchema, other: JsonSchema): JsonSchema {
	return { if: { type: 'array' }, then: { items: entry }, else: other };
}

/** What a schema must match to be supported. Keywords that it doesn't know have no effect. */
export const META_SCHEMA = {
	type: ['object', 'boolean'],
	properties: { ...KEYWORDS, ...all(false, UNCHECKED_KEYWORDS) },
};

/** As `META_SCHEMA`, but without unknown keywords. */
export const STRICT_META_SCHEMA = { ...META_SCHEMA, additionalProperties: false };

/** Whether a keyword is supported. */
export function isKeyword(name: string): boolean {
	return Object.hasOwn(KEYWORDS, name);
}

/** Whether a keyword is supported and asserts something, or refers to something that may. */
export function isAssertion(name: string): boolean {
	return Object.hasOwn(ASSERTIONS, name);
}

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

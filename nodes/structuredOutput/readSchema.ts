import { isObject } from '../isObject';
import { type JsonSchema, type UsableSchema, findMismatches, valueAt } from './findMismatches';

/** What a job's output must match. Can be stored as JSON. */
export interface OutputSchema {
	/** A JSON Schema, as JSON text. */
	schema: string;
	/** The example from which the schema was derived, as JSON text. If unset, there was none. */
	example?: string;
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
// Formats of JSON Schema that are not checked: the library doesn't know them or, for 'regex', knows
// other regular expressions. Any other format that it doesn't know is an annotation.
const UNCHECKED_FORMATS = ['idn-email', 'idn-hostname', 'iri', 'iri-reference', 'regex'];

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer', minimum: 0 };
const TYPE = { enum: TYPES };
const PATTERN = { type: 'string', format: 'regex' };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA, minItems: 1 };
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA };

// The mismatch of a reference says only that it is not allowed. `$$` stands for `$` in `replace`.
const DISALLOWED_REFERENCE = /(?<=\$ref') is not allowed$/;
const NO_PATH = " must be a path in the schema, e.g. '#/$$defs/name'";

/** The keywords whose values are checked, each with what its value must match. */
const KEYWORDS: Record<string, JsonSchema | boolean> = {
	// They promise a check, and the library ignores them or reads them differently. The `$id` of
	// the whole schema is removed before.
	...all(false, ['$dynamicRef', '$id', '$recursiveRef', '$vocabulary']),
	...all(false, ['dependencies', 'nullable']),
	...all({ type: 'number' }, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
	...all(COUNT, ['maxContains', 'maxItems', 'maxLength', 'maxProperties']),
	...all(COUNT, ['minContains', 'minItems', 'minLength', 'minProperties']),
	...all(SCHEMA, ['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'not']),
	...all(SCHEMA, ['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties']),
	...all(SCHEMAS, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
	...all(NAMED_SCHEMAS, ['$defs', 'definitions', 'dependentSchemas', 'properties']),
	$anchor: TEXT,
	$ref: TEXT,
	$schema: { type: 'string', pattern: '^https?://json-schema\\.org/' },
	const: true,
	dependentRequired: { type: 'object', additionalProperties: TEXTS },
	enum: { type: 'array' },
	format: { type: 'string', if: { enum: UNCHECKED_FORMATS }, then: false },
	items: { if: { type: 'array' }, then: SCHEMAS, else: SCHEMA },
	multipleOf: { type: 'number', exclusiveMinimum: 0 },
	pattern: PATTERN,
	patternProperties: { ...NAMED_SCHEMAS, propertyNames: PATTERN },
	required: TEXTS,
	type: { if: { type: 'array' }, then: { items: TYPE, minItems: 1 }, else: TYPE },
	uniqueItems: { type: 'boolean' },
};

/** The keywords among them that check nothing without another one. */
const DEPENDENT_KEYWORDS = [
	...['$anchor', '$defs', '$schema', 'definitions'],
	...['additionalItems', 'else', 'maxContains', 'minContains', 'then'],
];

function all<T>(value: T, keywords: string[]): Record<string, T> {
	return Object.fromEntries(keywords.map((keyword) => [keyword, value]));
}

/**
 * Reads a schema from JSON text, and resolves its references. Throws an `Error` that says why the
 * schema can't be used: it is not an object, a keyword has an unusable value or promises a check
 * that would not be made, or a reference isn't the path of something in the schema. Unknown
 * keywords have no effect, as in JSON Schema.
 */
export function readSchema(json: string): UsableSchema {
	// More than the references of the schema, since examples and constants may look like some.
	const references: string[] = [];
	const schema: unknown = JSON.parse(json, (name, value: unknown) => {
		if (name === '$ref' && typeof value === 'string') references.push(value);
		return value;
	});
	if (!isObject(schema)) throw new Error('it is not an object');

	const { $id } = schema;
	delete schema.$id;
	const lookup: UsableSchema['lookup'] = {};
	for (const reference of references) {
		const target = valueAt(withoutOwnId(reference, $id), schema);
		if (isObject(target) || typeof target === 'boolean') lookup[reference] = target;
	}

	const dangling = references.filter((reference) => !Object.hasOwn(lookup, reference));
	// Allows no reference that leads nowhere.
	const $ref = { type: 'string', if: { enum: dangling }, then: false };
	const metaSchema = { type: ['object', 'boolean'], properties: { ...KEYWORDS, $ref } };
	for (const one of [schema, ...Object.values(lookup)]) {
		const [mismatch] = findMismatches(one, { schema: metaSchema, lookup: { '#': metaSchema } });
		if (mismatch !== undefined) throw new Error(mismatch.replace(DISALLOWED_REFERENCE, NO_PATH));
	}
	return { schema, lookup };
}

/**
 * Whether a schema has a keyword at its top level that checks something. A schema that is inside of
 * something else, such as the definition of a tool, has none.
 */
export function checksSomething(schema: JsonSchema | boolean): boolean {
	const checks = (name: string) =>
		Object.hasOwn(KEYWORDS, name) && !DEPENDENT_KEYWORDS.includes(name);
	return Object.keys(schema).some(checks);
}

/** Returns a reference without the schema's own `$id` in front. */
function withoutOwnId(reference: string, $id: unknown): string {
	const id = typeof $id === 'string' ? $id.replace(/#$/, '') : '';
	if (id === '' || !reference.startsWith(id)) return reference;
	return reference.slice(id.length) || '#';
}

/**
 * Whether a value is certainly a JSON Schema and no data: data may have keys called `type` or
 * `items`, too, but hardly with such values. Types may be in upper case, as in Gemini's API.
 */
export function isJsonSchema(value: unknown): boolean {
	if (!isObject(value)) return false;
	const { $schema, items, properties, required, type } = value;
	if ($schema !== undefined) return true;

	const types = Array.isArray(type) ? type : [type];
	const isTyped = types.every((one) => TYPES.includes(String(one).toLowerCase()));
	return isTyped && (isObject(properties) || isObject(items) || Array.isArray(required));
}

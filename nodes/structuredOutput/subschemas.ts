import { isObject } from '../service/httpResponse';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

/** Where a schema lies within another one, and the schema: anything, as long as it is not checked. */
export type Subschema = [path: string[], schema: unknown];

const SCHEMA = [
	'additionalItems',
	'additionalProperties',
	'contains',
	'else',
	'if',
	'items',
	'not',
	'propertyNames',
	'then',
	'unevaluatedItems',
	'unevaluatedProperties',
];
const SCHEMA_LIST = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const SCHEMA_MAP = [
	'$defs',
	'definitions',
	'dependencies',
	'dependentSchemas',
	'patternProperties',
	'properties',
];

/** The keywords whose values contain schemas. */
export const APPLICATORS = [...SCHEMA, ...SCHEMA_LIST, ...SCHEMA_MAP];

export function isSchemaObject(schema: unknown): schema is JsonSchema {
	return isObject(schema);
}

/** The schemas directly within a schema. */
export function subschemasOf(schema: JsonSchema): Subschema[] {
	return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
		if (Array.isArray(value) && SCHEMA_LIST.includes(keyword)) {
			return value.map((one, index) => [[keyword, String(index)], one]);
		}
		if (isSchemaObject(value) && SCHEMA_MAP.includes(keyword)) {
			const named = Object.entries(value).map(([name, one]): Subschema => [[keyword, name], one]);
			// In draft 7, a dependency may be a list of property names.
			return keyword === 'dependencies' ? named.filter(([, one]) => !isTexts(one)) : named;
		}
		return APPLICATORS.includes(keyword) ? [[[keyword], value]] : [];
	});
}

export function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

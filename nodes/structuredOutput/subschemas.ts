import { isObject } from '../service/httpResponse';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

/** Where a schema lies within another one, and the schema: anything, as long as it is not checked. */
export type Subschema = [path: [keyword: string, ...name: string[]], schema: unknown];

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

/** A schema and all within it, each before its own ones, with pointers such as `#/properties/price`. */
export function schemasIn(
	schema: unknown,
	pointer = '#',
): Array<[pointer: string, schema: unknown]> {
	const subschemas = isObject(schema) ? subschemasOf(schema) : [];
	const inner = subschemas.flatMap(([path, one]) =>
		schemasIn(one, [pointer, ...path.map(escaped)].join('/')),
	);
	return [[pointer, schema], ...inner];
}

/** The schemas directly within a schema. */
export function subschemasOf(schema: JsonSchema): Subschema[] {
	return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
		const containers = Array.isArray(value) ? SCHEMA_LIST : SCHEMA_MAP;
		if (typeof value === 'object' && value !== null && containers.includes(keyword)) {
			return Object.entries(value)
				.filter(([, one]) => !(keyword === 'dependencies' && isTexts(one)))
				.map(([name, one]) => [[keyword, name], one]);
		}
		return APPLICATORS.includes(keyword) ? [[[keyword], value]] : [];
	});
}

/** In draft 7, a dependency may be such a list of property names, and no schema. */
export function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function escaped(name: string): string {
	return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

import { isObject } from '../isObject';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = Record<string, unknown>;

/** Where a schema lies within another one, and the schema: anything, as long as it is not checked. */
export type Subschema = [path: [keyword: string, ...name: string[]], schema: unknown];

/** A keyword whose value contains schemas. */
interface Applicator {
	/** What is a list or an object of schemas; anything else is a schema itself. */
	isContainer?: (value: unknown) => boolean;
	/** Whether they apply to the same data as the schema that contains them. */
	isInPlace?: boolean;
	/** Whether only some of them have to match, or none: the reasons of each would mislead. */
	isAlternative?: boolean;
}

/** All of them, by their names. */
export const APPLICATORS = new Map<string, Applicator>([
	['$defs', { isContainer: isObject }],
	['additionalItems', {}],
	['additionalProperties', {}],
	['allOf', { isContainer: Array.isArray, isInPlace: true }],
	['anyOf', { isContainer: Array.isArray, isInPlace: true, isAlternative: true }],
	['contains', { isAlternative: true }],
	['definitions', { isContainer: isObject }],
	['dependencies', { isContainer: isObject, isInPlace: true, isAlternative: true }],
	['dependentSchemas', { isContainer: isObject, isInPlace: true, isAlternative: true }],
	['else', { isInPlace: true }],
	['if', { isInPlace: true }],
	['items', { isContainer: Array.isArray }],
	['not', { isInPlace: true, isAlternative: true }],
	['oneOf', { isContainer: Array.isArray, isInPlace: true, isAlternative: true }],
	['patternProperties', { isContainer: isObject }],
	['prefixItems', { isContainer: Array.isArray }],
	['properties', { isContainer: isObject }],
	['propertyNames', { isAlternative: true }],
	['then', { isInPlace: true }],
	['unevaluatedItems', {}],
	['unevaluatedProperties', {}],
]);

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
		const applicator = APPLICATORS.get(keyword);
		if (applicator === undefined) return [];
		if (applicator.isContainer?.(value) !== true) return [[[keyword], value]];
		return Object.entries(value as object)
			.filter(([, one]) => !(keyword === 'dependencies' && isTexts(one)))
			.map(([name, one]) => [[keyword, name], one]);
	});
}

/** In draft 7, a dependency may be such a list of property names, and no schema. */
export function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function escaped(name: string): string {
	return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

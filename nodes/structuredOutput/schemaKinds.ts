import { isObject } from '../isObject';
import { createCheck } from './findMismatches';
import { isAssertion, isKeyword, META_SCHEMA, type JsonSchema } from './metaSchema';
import { isUsualAnnotation } from './unknownKeywords';

const MAX_LEVELS = 3;
// More, since this only decides what an error advises.
const MAX_LEVELS_OF_ANY = 6;

/**
 * Whether a value is certainly a JSON Schema and no data: data may have keys called `type` or
 * `items`, too, but hardly with such values.
 */
export function isJsonSchema(value: unknown): boolean {
	if (!isObject(value)) return false;
	const { items, properties, required } = value;
	if (value.$schema !== undefined) return true;
	return hasType(value) && (isObject(properties) || isObject(items) || Array.isArray(required));
}

/**
 * Whether an object has a keyword that asserts or refers to something, with a usable value or,
 * for `type`, a type in upper case.
 */
export function hasAssertion(value: JsonSchema): boolean {
	return (
		hasType(value) || Object.keys(value).some((name) => isAssertion(name) && isUsable(value, name))
	);
}

/**
 * Whether an object has a `type` of JSON Schema, in lower or upper case: in Gemini's API, types are
 * in upper case.
 */
export function hasType({ type }: JsonSchema): boolean {
	return type !== undefined && isUsable({ type: inLowerCase(type) }, 'type');
}

function inLowerCase(type: unknown): unknown {
	if (Array.isArray(type)) return type.map(inLowerCase);
	return typeof type === 'string' ? type.toLowerCase() : type;
}

/**
 * Returns the path of the only schema inside a value, at most three levels down, e.g. in what other
 * APIs take as their `response_format`. Returns undefined if there is none, or more than one.
 */
export function pathOfInnerSchema(value: unknown): string[] | undefined {
	const [path, ...others] = pathsOfSchemas(value, MAX_LEVELS);
	return others.length === 0 ? path : undefined;
}

/** Whether there is a schema inside a value, a few levels down. */
export function hasInnerSchemas(value: unknown): boolean {
	return pathsOfSchemas(value, MAX_LEVELS_OF_ANY).length > 0;
}

function pathsOfSchemas(value: unknown, maxLevels: number, path: string[] = []): string[][] {
	if (typeof value !== 'object' || value === null || path.length >= maxLevels) return [];
	return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
		if (isUsualAnnotation(name)) return [];
		const innerPath = [...path, name];
		return isProbablySchema(inner) ? [innerPath] : pathsOfSchemas(inner, maxLevels, innerPath);
	});
}

function isProbablySchema(value: unknown): boolean {
	if (isJsonSchema(value)) return true;
	if (!isObject(value)) return false;
	if (hasType(value)) return Object.keys(value).every(isKeyword);
	return ['$ref', 'allOf', 'anyOf', 'oneOf', 'properties'].some(
		(name) => Object.hasOwn(value, name) && isUsable(value, name),
	);
}

function isUsable(value: JsonSchema, name: string): boolean {
	return createCheck(META_SCHEMA)({ [name]: value[name] }).length === 0;
}

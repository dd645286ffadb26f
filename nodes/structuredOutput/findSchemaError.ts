import { compilePattern } from './compilePattern';
import { APPLICATORS, isSchemaObject, isTexts, subschemasOf, type JsonSchema } from './subschemas';

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
// Those that the library checks, but for 'url', whose check can take exponential time.
const FORMATS = [
	'date',
	'date-time',
	'duration',
	'email',
	'hostname',
	'ipv4',
	'ipv6',
	'json-pointer',
	'json-pointer-uri-fragment',
	'regex',
	'relative-json-pointer',
	'time',
	'uri',
	'uri-reference',
	'uri-template',
	'uuid',
];

type Check = (value: unknown) => boolean;

const isAnything: Check = () => true;
const isText: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number';
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isType: Check = (value) => TYPES.includes(value as string);

/** All keywords that are checked, or that say nothing about a value, and what their values may be. */
const KEYWORDS = new Map<string, Check>([
	// What they contain is checked as a schema of its own.
	...APPLICATORS.map((keyword): [string, Check] => [keyword, isAnything]),
	...['const', 'default', 'examples'].map((keyword): [string, Check] => [keyword, isAnything]),
	...['$anchor', '$comment', '$id', '$ref', '$schema', 'description', 'title'].map(
		(keyword): [string, Check] => [keyword, isText],
	),
	...['deprecated', 'readOnly', 'uniqueItems', 'writeOnly'].map((keyword): [string, Check] => [
		keyword,
		isBoolean,
	]),
	...['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum'].map(
		(keyword): [string, Check] => [keyword, isNumber],
	),
	...['Contains', 'Items', 'Length', 'Properties'].flatMap(
		(what): Array<[string, Check]> => [
			[`min${what}`, isCount],
			[`max${what}`, isCount],
		],
	),
	['dependentRequired', (value) => isSchemaObject(value) && Object.values(value).every(isTexts)],
	['enum', Array.isArray],
	['format', (value) => FORMATS.includes(value as string)],
	['multipleOf', (value) => isNumber(value) && (value as number) > 0],
	['pattern', isPattern],
	['required', isTexts],
	['type', (value) => isType(value) || (Array.isArray(value) && value.every(isType))],
]);

/**
 * Why a schema can't be used, and where; undefined if it can. A keyword that would be ignored is an
 * error: the user counts on it. Its depth must be limited.
 */
export function findSchemaError(schema: JsonSchema): string | undefined {
	const pointers = new Set<string>();
	const references = new Map<string, string>();
	const error = findError(schema, '#', pointers, references);
	if (error !== undefined) return error;
	for (const [pointer, reference] of references) {
		if (!pointers.has(decoded(reference))) {
			return `'$ref' at ${pointer} points to nothing within the schema: ${reference}`;
		}
	}
	return undefined;
}

// Also collects where schemas are, and which of them refer to others.
function findError(
	schema: unknown,
	pointer: string,
	pointers: Set<string>,
	references: Map<string, string>,
): string | undefined {
	pointers.add(pointer);
	if (typeof schema === 'boolean') return undefined;
	if (!isSchemaObject(schema)) return `${pointer} is not a schema`;
	for (const [keyword, value] of Object.entries(schema)) {
		const isValid = KEYWORDS.get(keyword);
		if (isValid === undefined || (keyword === '$id' && pointer !== '#')) {
			return `'${keyword}' at ${pointer} is not supported`;
		}
		if (!isValid(value)) return `'${keyword}' at ${pointer} has a value that is not supported`;
	}
	if (schema.$anchor !== undefined) pointers.add(`#${String(schema.$anchor)}`);
	if (schema.$ref !== undefined) references.set(pointer, String(schema.$ref));
	for (const [path, inner] of subschemasOf(schema)) {
		if (path[0] === 'patternProperties' && !isPattern(path[1])) {
			return `'patternProperties' at ${pointer} has a pattern that is not supported`;
		}
		const error = findError(
			inner,
			`${pointer}/${path.map(escaped).join('/')}`,
			pointers,
			references,
		);
		if (error !== undefined) return error;
	}
	return undefined;
}

function isPattern(value: unknown): boolean {
	try {
		return isText(value) && compilePattern(value as string) !== undefined;
	} catch {
		return false;
	}
}

function escaped(name: string): string {
	return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function decoded(reference: string): string {
	try {
		return decodeURIComponent(reference);
	} catch {
		return reference;
	}
}

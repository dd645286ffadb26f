import { isObject } from '../service/httpResponse';
import { compilePattern } from './compilePattern';
import { APPLICATORS, isTexts, schemasIn, subschemasOf, type JsonSchema } from './subschemas';

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
	// What applicators contain is checked as a schema of its own.
	...all(isAnything, [...APPLICATORS.keys(), 'const', 'default', 'examples']),
	...all(isText, ['$anchor', '$comment', '$id', '$ref', '$schema', 'description', 'title']),
	...all(isBoolean, ['deprecated', 'readOnly', 'uniqueItems', 'writeOnly']),
	...all(isNumber, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
	...all(isCount, ['maxContains', 'maxItems', 'maxLength', 'maxProperties']),
	...all(isCount, ['minContains', 'minItems', 'minLength', 'minProperties']),
	['dependentRequired', (value) => isObject(value) && Object.values(value).every(isTexts)],
	['enum', Array.isArray],
	['format', (value) => FORMATS.includes(value as string)],
	['multipleOf', (value) => isNumber(value) && (value as number) > 0],
	['pattern', isPattern],
	['patternProperties', (value) => !isObject(value) || Object.keys(value).every(isPattern)],
	['required', isTexts],
	['type', (value) => isType(value) || (Array.isArray(value) && value.every(isType))],
]);

function all(check: Check, keywords: string[]): Array<[string, Check]> {
	return keywords.map((keyword) => [keyword, check]);
}

/**
 * Why a schema can't be used, and where; undefined if it can. A keyword that would be ignored is an
 * error: the user counts on it. Its depth must be limited.
 */
export function findSchemaError(schema: JsonSchema): string | undefined {
	const pointers = new Map<JsonSchema, string>();
	const targets = new Map<string, unknown>();
	for (const [pointer, one] of schemasIn(schema)) {
		// The names of these change before the check.
		if (!pointer.includes('/patternProperties/')) targets.set(pointer, one);
		if (typeof one === 'boolean') continue;
		if (!isObject(one)) return `${pointer} is not a schema`;
		const error = findKeywordError(one, pointer);
		if (error !== undefined) return error;
		if (one.$anchor !== undefined) targets.set(`#${String(one.$anchor)}`, one);
		pointers.set(one, pointer);
	}
	for (const [one, pointer] of pointers) {
		const reference = referenceOf(one);
		if (reference === undefined || targets.has(reference)) continue;
		return `'$ref' at ${pointer} points to nothing within the schema: ${reference}`;
	}
	const loop = findLoop(pointers, targets);
	return loop === undefined ? undefined : `'$ref' leads from ${loop} to itself`;
}

function findKeywordError(schema: JsonSchema, pointer: string): string | undefined {
	for (const [keyword, value] of Object.entries(schema)) {
		const isValid = KEYWORDS.get(keyword);
		if (isValid === undefined || (keyword === '$id' && pointer !== '#')) {
			return `'${keyword}' at ${pointer} is not supported`;
		}
		if (!isValid(value)) return `'${keyword}' at ${pointer} has a value that is not supported`;
	}
	return undefined;
}

// A schema that leads to itself with the same data could be checked for ever.
function findLoop(
	pointers: Map<JsonSchema, string>,
	targets: Map<string, unknown>,
): string | undefined {
	const isOnPath = new Map<JsonSchema, boolean>();
	const visit = (schema: unknown): string | undefined => {
		if (!isObject(schema)) return undefined;
		if (isOnPath.has(schema)) return isOnPath.get(schema) ? pointers.get(schema) : undefined;
		isOnPath.set(schema, true);
		const inPlace = subschemasOf(schema).filter(
			([[keyword]]) => APPLICATORS.get(keyword)?.isInPlace,
		);
		const next = [...inPlace.map(([, inner]) => inner), targets.get(referenceOf(schema) ?? '')];
		const loop = next.map(visit).find((one) => one !== undefined);
		isOnPath.set(schema, false);
		return loop;
	};
	const referring = [...pointers.keys()].filter((one) => one.$ref !== undefined);
	return referring.map(visit).find((one) => one !== undefined);
}

function referenceOf({ $ref }: JsonSchema): string | undefined {
	if (typeof $ref !== 'string') return undefined;
	try {
		return decodeURIComponent($ref);
	} catch {
		return $ref;
	}
}

function isPattern(value: unknown): boolean {
	try {
		return isText(value) && compilePattern(value as string) !== undefined;
	} catch {
		return false;
	}
}

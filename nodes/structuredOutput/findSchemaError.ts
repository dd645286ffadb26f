import { isObject } from '../isObject';
import { compilePattern } from './compilePattern';
import { APPLICATORS, isTexts, schemasIn, subschemasOf, type JsonSchema } from './subschemas';

const MAX_CHAIN = 100;
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
	return findChainError(pointers, targets);
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

// With the same data, a schema that leads to itself could be checked for ever, and a long chain of schemas
// leads deeper than the call stack allows.
function findChainError(
	pointers: Map<JsonSchema, string>,
	targets: Map<string, unknown>,
): string | undefined {
	// How many schemas follow one another from there at most; 0 as long as that is being found out.
	const lengths = new Map<JsonSchema, number>();
	let error: string | undefined;
	const lengthFrom = (schema: unknown, before = 0): number => {
		if (!isObject(schema)) return 0;
		const known = lengths.get(schema);
		const pointer = pointers.get(schema);
		if (known === 0) error ??= `'$ref' leads from ${pointer} to itself`;
		if (before + (known ?? 1) > MAX_CHAIN) {
			error ??= `'$ref' leads to ${pointer} through more than ${MAX_CHAIN} schemas`;
		}
		if (error !== undefined || known !== undefined) return known ?? 0;
		lengths.set(schema, 0);
		const inPlace = subschemasOf(schema).filter(
			([[keyword]]) => APPLICATORS.get(keyword)?.isInPlace,
		);
		const next = [...inPlace.map(([, inner]) => inner), targets.get(referenceOf(schema) ?? '')];
		const length = 1 + Math.max(...next.map((one) => lengthFrom(one, before + 1)));
		lengths.set(schema, length);
		return length;
	};
	for (const one of pointers.keys()) if (one.$ref !== undefined) lengthFrom(one);
	return error;
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

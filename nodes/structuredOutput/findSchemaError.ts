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
	// What applicators contain is checked as a schema of its own.
	...all(isAnything, [...APPLICATORS, 'const', 'default', 'examples']),
	...all(isText, ['$anchor', '$comment', '$id', '$ref', '$schema', 'description', 'title']),
	...all(isBoolean, ['deprecated', 'readOnly', 'uniqueItems', 'writeOnly']),
	...all(isNumber, ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum']),
	...all(isCount, ['maxContains', 'maxItems', 'maxLength', 'maxProperties']),
	...all(isCount, ['minContains', 'minItems', 'minLength', 'minProperties']),
	['dependentRequired', (value) => isSchemaObject(value) && Object.values(value).every(isTexts)],
	['enum', Array.isArray],
	['format', (value) => FORMATS.includes(value as string)],
	['multipleOf', (value) => isNumber(value) && (value as number) > 0],
	['pattern', isPattern],
	['patternProperties', (value) => !isSchemaObject(value) || Object.keys(value).every(isPattern)],
	['required', isTexts],
	['type', (value) => isType(value) || (Array.isArray(value) && value.every(isType))],
]);

function all(check: Check, keywords: string[]): Array<[string, Check]> {
	return keywords.map((keyword) => [keyword, check]);
}

// Their schemas apply to the same data as the schema that contains them.
const IN_PLACE = [
	'allOf',
	'anyOf',
	'dependencies',
	'dependentSchemas',
	'else',
	'if',
	'not',
	'oneOf',
	'then',
];

/** What is found on the way through a schema, by pointers such as `#/properties/price`. */
interface Findings {
	/** Where the schema is that a reference can point to. */
	targets: Map<string, string>;
	references: Map<string, string>;
	/** The schemas within a schema that apply to the same data. */
	inPlace: Map<string, string[]>;
}

/**
 * Why a schema can't be used, and where; undefined if it can. A keyword that would be ignored is an
 * error: the user counts on it. Its depth must be limited.
 */
export function findSchemaError(schema: JsonSchema): string | undefined {
	const findings: Findings = { targets: new Map(), references: new Map(), inPlace: new Map() };
	const error = findError(schema, '#', findings);
	if (error !== undefined) return error;
	for (const [pointer, reference] of findings.references) {
		if (!findings.targets.has(reference)) {
			return `'$ref' at ${pointer} points to nothing within the schema: ${reference}`;
		}
	}
	const loop = findLoop(findings);
	return loop === undefined ? undefined : `'$ref' leads from ${loop} to itself`;
}

function findError(schema: unknown, pointer: string, findings: Findings): string | undefined {
	const { targets, references, inPlace } = findings;
	// The names of these change before the check.
	if (!pointer.includes('/patternProperties/')) targets.set(pointer, pointer);
	if (typeof schema === 'boolean') return undefined;
	if (!isSchemaObject(schema)) return `${pointer} is not a schema`;
	const error = findKeywordError(schema, pointer);
	if (error !== undefined) return error;
	if (schema.$anchor !== undefined) targets.set(`#${String(schema.$anchor)}`, pointer);
	if (schema.$ref !== undefined) references.set(pointer, decoded(String(schema.$ref)));
	for (const [path, inner] of subschemasOf(schema)) {
		const innerPointer = [pointer, ...path.map(escaped)].join('/');
		const isInPlace = IN_PLACE.includes(path[0] as string);
		if (isInPlace) inPlace.set(pointer, [...(inPlace.get(pointer) ?? []), innerPointer]);
		const innerError = findError(inner, innerPointer, findings);
		if (innerError !== undefined) return innerError;
	}
	return undefined;
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
function findLoop({ targets, references, inPlace }: Findings): string | undefined {
	const path = new Set<string>();
	const done = new Set<string>();
	const visit = (pointer: string): string | undefined => {
		if (path.has(pointer)) return pointer;
		if (done.has(pointer)) return undefined;
		done.add(pointer);
		path.add(pointer);
		const referred = targets.get(references.get(pointer) ?? '') ?? [];
		const next = [inPlace.get(pointer) ?? [], referred].flat();
		const loop = next.map(visit).find((one) => one !== undefined);
		path.delete(pointer);
		return loop;
	};
	return [...references.keys()].map(visit).find((one) => one !== undefined);
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

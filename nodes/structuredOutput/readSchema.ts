import { dereference, validate } from '@cfworker/json-schema';

import { isObject } from '../isObject';
import { parseUrl } from '../service/baseUrl';
import { createCheck, NOT_ALLOWED, toPath, valueAt } from './findMismatches';
import { FORMATS } from './formats';
import {
	isKeyword,
	META_SCHEMA,
	schemasIn,
	STRICT_META_SCHEMA,
	UNCHECKED_FORMATS,
	type JsonSchema,
} from './metaSchema';
import { hasAssertion, hasInnerSchemas, hasType, pathOfInnerSchema } from './schemaKinds';
import { findUnknownKeywords } from './unknownKeywords';

// Nearly every schema has one of these or a valid `type`, and hardly any example has.
const STRUCTURAL_KEYWORDS = ['$ref', '$schema', 'allOf', 'anyOf', 'oneOf', 'properties'];
// Only for comparing references: nothing is ever fetched.
const BASE_URL = 'https://schema.invalid/';

const EXAMPLE_ADVICE =
	"This looks like an example. To use it as one, set 'Output Format' to 'Like an Example'.";
const ONE_SCHEMA_ADVICE =
	'Enter one schema, e.g. {"type": "object", "properties": {"price": {"type": "number"}}}.';
const NULLABLE_ADVICE =
	'Instead of OpenAPI\'s "nullable", list "null" among the types: "type": ["string", "null"].';
const FORMAT_ADVICE = `These formats are not checked: ${UNCHECKED_FORMATS.join(', ')}. Remove the format.`;

/** Says why a schema can't be used, with advice if it is a common mistake. */
export class SchemaError extends Error {
	constructor(
		message: string,
		readonly advice?: string,
	) {
		super(message);
	}
}

/**
 * Reads a schema from JSON text, without what has no effect, such as unknown keywords. Throws an
 * `Error` that says why the schema can't be used, e.g. because of a keyword that would be ignored
 * although it asserts something. For a common mistake this is a `SchemaError` with advice.
 */
export function readSchema(json: string): JsonSchema {
	const root: unknown = JSON.parse(json);
	const innerPath = isObject(root) && hasAssertion(root) ? undefined : pathOfInnerSchema(root);
	if (innerPath !== undefined) throw innerSchemaError(toPath(innerPath));
	if (!isObject(root)) throw new SchemaError('it is not an object', adviceOn(root, ''));

	// Without `$id`, since all references are resolved within the schema.
	const { $id, ...schema }: JsonSchema = root;
	requireSupported(schema, root);
	if (!isMeantAsSchema(root) && findUnknownKeywords(schema).length > 0) {
		const [mismatch = ''] = createCheck(STRICT_META_SCHEMA)(schema);
		throw new SchemaError(mismatch, otherDataAdvice(root));
	}
	const schemas = resolveReferences(schema, $id);
	for (const one of schemas) removeAnnotations(one);
	checkReferences(schema);
	return schema;
}

function requireSupported(schema: JsonSchema, root: JsonSchema): void {
	const [mismatch] = createCheck(META_SCHEMA)(schema);
	if (mismatch !== undefined) throw new SchemaError(mismatch, adviceOn(root, mismatch));
}

function innerSchemaError(path: string): SchemaError {
	return new SchemaError(
		`the schema is only a part of it, in '${path}'`,
		`Enter only the schema in '${path}'.`,
	);
}

function adviceOn(root: unknown, mismatch: string): string | undefined {
	if (mismatch.endsWith(`nullable' ${NOT_ALLOWED}`)) return NULLABLE_ADVICE;
	if (mismatch.endsWith(`format' ${NOT_ALLOWED}`)) return FORMAT_ADVICE;
	const isExample = isObject(root)
		? !isMeantAsSchema(root) && Object.keys(root).some((key) => !isSupportedOrRefused(key))
		: Array.isArray(root);
	return isExample ? otherDataAdvice(root) : undefined;
}

/** Returns what to do about data that is no schema. */
function otherDataAdvice(data: unknown): string {
	return hasInnerSchemas(data) ? ONE_SCHEMA_ADVICE : EXAMPLE_ADVICE;
}

function isMeantAsSchema(root: JsonSchema): boolean {
	return hasType(root) || STRUCTURAL_KEYWORDS.some((keyword) => keyword in root);
}

function isSupportedOrRefused(keyword: string): boolean {
	return Object.hasOwn(META_SCHEMA.properties, keyword);
}

/**
 * Makes all references in a supported schema point to one of its schemas by a JSON Pointer, as the
 * library needs it. What they refer to below an unknown keyword, e.g. `components` of OpenAPI, is
 * moved to `$defs`. Returns all schemas. Throws if one of the moved ones is not supported.
 */
function resolveReferences(root: JsonSchema, $id: unknown): Set<JsonSchema> {
	const schemas = new Set(schemasIn(root));
	// Includes the schemas that are added meanwhile.
	for (const schema of schemas) {
		if (schema.$ref === undefined) continue;
		const pointer = decodeURIComponent(toLocalReference(String(schema.$ref), $id));
		// Encoded as the library encodes the pointers to which it compares references.
		schema.$ref = encodeURI(pointer);
		const [, keyword = ''] = pointer.split('/');
		const target = valueAt(schema.$ref as string, root);
		if (keyword === '' || isKeyword(keyword) || !isObject(target)) continue;

		const name = pointer.replaceAll('~', '~0').replaceAll('/', '~1');
		schema.$ref = encodeURI(`#/$defs/${name}`);
		if (schemas.has(target)) continue;
		requireSupported(target, root);
		root.$defs = { ...(root.$defs as JsonSchema | undefined), [pointer]: target };
		for (const inner of schemasIn(target)) schemas.add(inner);
	}
	return schemas;
}

/** Returns a reference without the schema's own `$id` in front, which may be relative. */
function toLocalReference(reference: string, $id: unknown): string {
	const base = parseUrl(String($id), BASE_URL);
	if (reference.startsWith('#') || typeof $id !== 'string' || base === undefined) return reference;
	const url = parseUrl(reference, base.href);
	const isOwn = url !== undefined && withoutFragment(url) === withoutFragment(base);
	return isOwn ? url.hash || '#' : reference;
}

function withoutFragment({ href, hash }: URL): string {
	return href.slice(0, href.length - hash.length).replace(/#$/, '');
}

function removeAnnotations(schema: JsonSchema): void {
	for (const name of Object.keys(schema)) if (!isKeyword(name)) delete schema[name];
	if (!FORMATS.includes(String(schema.format))) delete schema.format;
}

// The library throws if a reference does not resolve, and overflows the stack if it is circular.
function checkReferences(root: JsonSchema): void {
	const targets = dereference(root);
	for (const schema of schemasIn(root)) {
		try {
			if (schema.$ref !== undefined) validate(null, schema, '2020-12', targets);
		} catch (error) {
			throw badReferenceError(schema, error);
		}
	}
}

function badReferenceError({ $ref }: JsonSchema, cause: unknown): Error {
	const reason = 'points to nothing in the schema, or is circular';
	return new Error(`'$ref' ${reason} (${String($ref)})`, { cause });
}

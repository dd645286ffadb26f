import { dereference, validate } from '@cfworker/json-schema';

import { isObject } from '../isObject';
import { findMismatches } from './findMismatches';
import { META_SCHEMA, schemasIn, type JsonSchema } from './metaSchema';

// Nearly every schema has one of these or a type of JSON, and hardly an example.
const STRUCTURAL_KEYWORDS = ['$ref', '$schema', 'allOf', 'anyOf', 'oneOf', 'properties'];
const NOT_ALLOWED = "' is not allowed";

/** Why a schema can't be used, and what to do about it, if it is a common mistake. */
export class SchemaError extends Error {
	constructor(
		message: string,
		readonly advice?: string,
	) {
		super(message);
	}
}

/**
 * The schema in a JSON text. Throws an `Error` that says why it can't be used, e.g. for a keyword
 * that would be ignored; one for a common mistake is a `SchemaError` with advice.
 */
export function readSchema(json: string): JsonSchema {
	const root: unknown = JSON.parse(json);
	if (!isObject(root)) throw new SchemaError('it is not an object', adviceOn(root, ''));
	// References are within the schema, whatever its name.
	const schema: JsonSchema = { ...root };
	delete schema.$id;
	const [mismatch] = findMismatches(schema, META_SCHEMA);
	if (mismatch !== undefined) throw new SchemaError(mismatch, adviceOn(root, mismatch));
	for (const one of schemasIn(schema)) {
		// The library leaves some characters encoded that need not be.
		if (one.$ref !== undefined) one.$ref = encodeURI(decodeURIComponent(String(one.$ref)));
	}
	checkReferences(schema);
	return schema;
}

function adviceOn(root: unknown, mismatch: string): string | undefined {
	if (mismatch.endsWith(`nullable${NOT_ALLOWED}`)) {
		return 'Instead of OpenAPI\'s "nullable", list "null" among the types: "type": ["string", "null"].';
	}
	const isExample = isObject(root)
		? !isMeantAsSchema(root) && (mismatch.endsWith(NOT_ALLOWED) || hasOtherKeys(root))
		: Array.isArray(root);
	if (!isExample) return undefined;
	return "This looks like an example. To use it as one, set 'Output Format' to 'Like an Example'.";
}

function isMeantAsSchema(root: JsonSchema): boolean {
	const { type } = root;
	const hasType = type !== undefined && findMismatches({ type }, META_SCHEMA).length === 0;
	return hasType || STRUCTURAL_KEYWORDS.some((keyword) => keyword in root);
}

function hasOtherKeys(root: JsonSchema): boolean {
	return Object.keys(root).some((key) => !Object.hasOwn(META_SCHEMA.properties, key));
}

// The library throws if a reference leads to nothing, and follows a circle until its stack is full.
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
	const reason = 'leads to nothing within the schema, or in a circle';
	return new Error(`'$ref' ${reason} (${String($ref)})`, { cause });
}

import { dereference, validate } from '@cfworker/json-schema';

import { isObject } from '../isObject';
import { createCheck, NOT_ALLOWED } from './findMismatches';
import { META_SCHEMA, schemasIn, type JsonSchema } from './metaSchema';

// Nearly every schema has one of these or a valid `type`, and hardly any example has.
const STRUCTURAL_KEYWORDS = ['$ref', '$schema', 'allOf', 'anyOf', 'oneOf', 'properties'];

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
 * Reads a schema from JSON text. Throws an `Error` that says why it can't be used, e.g. because of
 * a keyword that would be ignored. For a common mistake this is a `SchemaError` with advice.
 */
export function readSchema(json: string): JsonSchema {
	const root: unknown = JSON.parse(json);
	if (!isObject(root)) throw new SchemaError('it is not an object', adviceOn(root, ''));
	// Without `$id`, since all references are resolved within the schema.
	const schema: JsonSchema = { ...root };
	delete schema.$id;
	const [mismatch] = createCheck(META_SCHEMA)(schema);
	if (mismatch !== undefined) throw new SchemaError(mismatch, adviceOn(root, mismatch));
	for (const one of schemasIn(schema)) {
		// Encoded as the library encodes the pointers to which it compares references.
		if (one.$ref !== undefined) one.$ref = encodeURI(decodeURIComponent(String(one.$ref)));
	}
	checkReferences(schema);
	return schema;
}

function adviceOn(root: unknown, mismatch: string): string | undefined {
	if (mismatch.endsWith(`nullable' ${NOT_ALLOWED}`)) {
		return 'Instead of OpenAPI\'s "nullable", list "null" among the types: "type": ["string", "null"].';
	}
	const isExample = isObject(root)
		? !isMeantAsSchema(root) && (mismatch.endsWith(`' ${NOT_ALLOWED}`) || hasOtherKeys(root))
		: Array.isArray(root);
	if (!isExample) return undefined;
	return "This looks like an example. To use it as one, set 'Output Format' to 'Like an Example'.";
}

function isMeantAsSchema(root: JsonSchema): boolean {
	const { type } = root;
	const hasType = type !== undefined && createCheck(META_SCHEMA)({ type }).length === 0;
	return hasType || STRUCTURAL_KEYWORDS.some((keyword) => keyword in root);
}

function hasOtherKeys(root: JsonSchema): boolean {
	return Object.keys(root).some((key) => !Object.hasOwn(META_SCHEMA.properties, key));
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

import { dereference, validate } from '@cfworker/json-schema';

import { isObject } from '../isObject';
import { findMismatches } from './findMismatches';
import { META_SCHEMA, schemasIn, type JsonSchema } from './metaSchema';

/** Throws an `Error` that says why a schema can't be used, e.g. for a keyword that would be ignored. */
export function readSchema(json: string): JsonSchema {
	const root: unknown = JSON.parse(json);
	if (!isObject(root)) throw new Error('it is not an object');
	// References are within the schema, whatever its name.
	const schema: JsonSchema = { ...root };
	delete schema.$id;
	const [mismatch] = findMismatches(schema, META_SCHEMA);
	if (mismatch !== undefined) throw new Error(mismatch);
	for (const one of schemasIn(schema)) {
		// The library leaves some characters encoded that need not be.
		if (one.$ref !== undefined) one.$ref = encodeURI(decodeURIComponent(String(one.$ref)));
	}
	checkReferences(schema);
	return schema;
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

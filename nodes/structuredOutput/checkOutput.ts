import { messageOf } from '../errors/ServiceError';
import { isTooDeep, parseJson } from '../service/parseJson';
import { KB } from '../units';
import { findJson } from './findJson';
import { createCheck } from './findMismatches';
import { schemasIn, type JsonSchema } from './metaSchema';
import type { OutputSchema } from './OutputSchema';
import { readSchema } from './readSchema';

const NO_JSON = 'it is not JSON, and it does not contain exactly one JSON object or array';
const NOT_ONE_MATCH = `${NO_JSON} that matches`;
const TOO_LARGE = 'it is too large to be checked';
const MAX_BYTES = 256 * KB;
// Finding all mismatches takes much longer than finding the first one.
const MAX_BYTES_FOR_ALL = 4 * KB;
// For `uniqueItems` the library compares each entry of a list with each other entry.
const MAX_UNIQUE_ENTRIES = 500;

/**
 * A checked output: the parsed data, or the unchanged output with the reasons why it is invalid.
 */
export interface CheckedOutput {
	output: unknown;
	/** At most three reasons, e.g. mismatches with their paths. If unset, the output is valid. */
	output_errors?: string[];
}

/**
 * Finds the data in a job's output and checks whether it matches the schema. If there is different
 * data in several places, the only one that matches counts. Never throws.
 */
export function checkOutput(output: unknown, { schema }: OutputSchema): CheckedOutput {
	const invalid = (...output_errors: string[]) => ({ output, output_errors });
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	const bytes = Buffer.byteLength(text);
	if (bytes > MAX_BYTES) return invalid(TOO_LARGE);
	try {
		const mismatchesOf = createJsonCheck(readSchema(schema), bytes > MAX_BYTES_FOR_ALL);
		const found = findJson(text).map((json) => ({ json, mismatches: mismatchesOf(json) }));
		const [match, ...others] = found.filter(({ mismatches }) => mismatches.length === 0);
		if (match !== undefined && others.length === 0) return { output: parseJson(match.json) };

		const [first] = found;
		if (first === undefined) return invalid(NO_JSON);
		return found.length === 1 ? invalid(...first.mismatches) : invalid(NOT_ONE_MATCH);
	} catch (error) {
		return invalid(`it could not be checked: ${messageOf(error)}`);
	}
}

/** Returns a function that returns the mismatches of JSON with a schema. */
function createJsonCheck(schema: JsonSchema, mayStop: boolean): (json: string) => string[] {
	const check = createCheck(schema, mayStop);
	const isUnique = hasUniqueItems(schema);
	return (json) => {
		if (isTooDeep(json)) return [TOO_LARGE];
		const data = parseJson(json);
		return isUnique && hasLongList(data) ? [TOO_LARGE] : check(data);
	};
}

function hasUniqueItems(schema: JsonSchema): boolean {
	return [...schemasIn(schema)].some(({ uniqueItems }) => uniqueItems === true);
}

function hasLongList(data: unknown): boolean {
	if (typeof data !== 'object' || data === null) return false;
	const values = Object.values(data);
	if (Array.isArray(data) && values.length > MAX_UNIQUE_ENTRIES) return true;
	return values.some(hasLongList);
}

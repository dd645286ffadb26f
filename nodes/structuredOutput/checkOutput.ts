import { messageOf } from '../errors/ServiceError';
import { isTooDeep, parseJson } from '../service/parseJson';
import { KB } from '../units';
import { findJson } from './findJson';
import { findMismatches } from './findMismatches';
import { schemasIn, type JsonSchema } from './metaSchema';
import type { OutputSchema } from './OutputSchema';
import { readSchema } from './readSchema';

const NO_JSON = 'it is not JSON, and it does not contain exactly one JSON object or array';
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

/** Finds the data in a job's output and checks whether it matches the schema. Never throws. */
export function checkOutput(output: unknown, { schema }: OutputSchema): CheckedOutput {
	const invalid = (...output_errors: string[]) => ({ output, output_errors });
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	const bytes = Buffer.byteLength(text);
	if (bytes > MAX_BYTES) return invalid(TOO_LARGE);
	const json = findJson(text);
	if (json === undefined) return invalid(NO_JSON);
	if (isTooDeep(json)) return invalid(TOO_LARGE);
	try {
		const data = parseJson(json);
		const readable = readSchema(schema);
		if (hasUniqueItems(readable) && hasLongList(data)) return invalid(TOO_LARGE);
		const mismatches = findMismatches(data, readable, bytes > MAX_BYTES_FOR_ALL);
		return mismatches.length === 0 ? { output: data } : invalid(...mismatches);
	} catch (error) {
		return invalid(`it could not be checked: ${messageOf(error)}`);
	}
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

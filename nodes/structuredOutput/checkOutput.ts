import { deepCompareStrict } from '@cfworker/json-schema';

import { messageOf } from '../errors/ServiceError';
import { isTooDeep } from '../service/parseJson';
import { KB, MB } from '../units';
import { findJson } from './findJson';
import { findMismatches, isMatch } from './findMismatches';
import { type OutputSchema, readSchema } from './readSchema';

const NO_OUTPUT = 'the job has no output';
const NO_JSON = 'it is not JSON, and it does not contain exactly one JSON object or array';
const NOT_ONE_MATCH = `${NO_JSON} that matches`;
const TOO_LARGE = 'it is too large to be checked';
const MAX_BYTES = 256 * KB;
// Finding all mismatches takes much longer than finding the first one.
const MAX_BYTES_FOR_ALL = 4 * KB;
// The library compares each entry of such a list with each other entry.
const REQUIRES_UNIQUE_ITEMS = /"uniqueItems"\s*:\s*true/;
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
	if (text.trim() === '') return invalid(NO_OUTPUT);
	const bytes = Buffer.byteLength(text);
	if (bytes > MAX_BYTES) return invalid(TOO_LARGE);
	try {
		const usable = readSchema(schema);
		const limitsLists = REQUIRES_UNIQUE_ITEMS.test(schema);
		const isTooLarge = (data: unknown) => isTooDeep(data) || (limitsLists && hasLongList(data));

		const found = findJson(text);
		const matches = found.filter((data) => !isTooLarge(data) && isMatch(data, usable));
		const match = onlyValue(matches);
		if (match !== undefined) return { output: match };

		if (found.length === 0) return invalid(NO_JSON);
		const data = onlyValue(found);
		if (data === undefined) return invalid(NOT_ONE_MATCH);
		if (isTooLarge(data)) return invalid(TOO_LARGE);
		return invalid(...findMismatches(data, usable, bytes > MAX_BYTES_FOR_ALL));
	} catch (error) {
		return invalid(`it could not be checked: ${messageOf(error)}`);
	}
}

function hasLongList(data: unknown): boolean {
	if (typeof data !== 'object' || data === null) return false;
	const values = Object.values(data);
	if (Array.isArray(data) && values.length > MAX_UNIQUE_ENTRIES) return true;
	return values.some(hasLongList);
}

/**
 * Parses an output that is the JSON text of an object or array, as a whole or in its code fences.
 * Returns any other output unchanged: other text, bare scalars, different data in several fences,
 * anything over 1 MB or nested too deeply.
 */
export function parseJsonOutput(output: unknown): unknown {
	if (typeof output !== 'string' || Buffer.byteLength(output) > MB) return output;
	const found = findJson(output, { inProse: false });
	if (found.some((data) => isTooDeep(data))) return output;
	const data = onlyValue(found);
	return typeof data === 'object' && data !== null ? data : output;
}

/** Returns the first of several values if all are equal; undefined otherwise, and for none. */
function onlyValue([first, ...others]: unknown[]): unknown {
	return others.every((other) => deepCompareStrict(first, other)) ? first : undefined;
}

import { messageOf } from '../errors/ServiceError';
import { MB } from '../service/httpResponse';
import { parseJson } from '../service/parseJson';
import { findJson } from './findJson';
import { findMismatches } from './findMismatches';
import type { OutputSchema } from './OutputSchema';
import { readSchema } from './readSchema';

const NO_JSON = 'it is not JSON, and it does not contain exactly one JSON object or array';
const TOO_LARGE = 'it is too large to be checked';
// What a check may take: some 0.3 s.
const MAX_WORK = 200_000_000;

/** An output as an item has it: as data or, with the first mismatches and their paths, as it came. */
export interface CheckedOutput {
	output: unknown;
	output_errors?: string[];
}

/** Finds the data in a job's output and checks whether it matches. Never throws. */
export function checkOutput(output: unknown, { schema }: OutputSchema): CheckedOutput {
	const invalid = (...output_errors: string[]) => ({ output, output_errors });
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	if (Buffer.byteLength(text) > MB) return invalid(TOO_LARGE);
	const json = findJson(text);
	if (json === undefined) return invalid(NO_JSON);
	const data = parseJson(json);
	const work = workOf(data, schema);
	if (data === json || work > MAX_WORK) return invalid(TOO_LARGE);
	try {
		// To find all mismatches takes much longer than to find the first one.
		const mismatches = findMismatches(data, readSchema(schema), work > MAX_WORK / 40);
		return mismatches.length === 0 ? { output: data } : invalid(...mismatches);
	} catch (error) {
		return invalid(`it could not be checked: ${messageOf(error)}`);
	}
}

// An estimate: each value may meet each part of the schema, and the library compares each entry of a list
// that must be unique with each other one.
function workOf(data: unknown, schema: string): number {
	let values = 0;
	let longestList = 0;
	JSON.stringify(data, (_key, value: unknown) => {
		values++;
		if (Array.isArray(value)) longestList = Math.max(longestList, value.length);
		return value;
	});
	const comparisons = schema.includes('uniqueItems') ? longestList : 0;
	return values * (schema.length + 40 * comparisons);
}

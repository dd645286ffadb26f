import { messageOf } from '../errors/ServiceError';
import { parseJson } from '../service/parseJson';
import { MB } from '../units';
import { estimateWork } from './estimateWork';
import { findJson } from './findJson';
import { findMismatches } from './findMismatches';
import type { OutputSchema } from './OutputSchema';
import { readSchema } from './readSchema';

const NO_JSON = 'it is not JSON, and it does not contain exactly one JSON object or array';
const TOO_LARGE = 'it is too large to be checked';
// About 0.3 s. `estimateWork` explains the unit.
const MAX_WORK = 300_000;
// Finding all mismatches takes much longer than finding the first one.
const MAX_WORK_FOR_ALL = MAX_WORK / 40;

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
	if (Buffer.byteLength(text) > MB) return invalid(TOO_LARGE);
	const json = findJson(text);
	if (json === undefined) return invalid(NO_JSON);
	const data = parseJson(json);
	if (data === json) return invalid(TOO_LARGE);
	try {
		const readable = readSchema(schema);
		const work = estimateWork(data, readable);
		if (work > MAX_WORK) return invalid(TOO_LARGE);
		const mismatches = findMismatches(data, readable, work > MAX_WORK_FOR_ALL);
		return mismatches.length === 0 ? { output: data } : invalid(...mismatches);
	} catch (error) {
		return invalid(`it could not be checked: ${messageOf(error)}`);
	}
}

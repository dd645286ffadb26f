import { messageOf } from '../errors/ServiceError';
import { MB } from '../service/httpResponse';
import { parseJson } from '../service/parseJson';
import { findJson } from './findJson';
import { findMismatches } from './findMismatches';
import { schemasIn, type JsonSchema } from './metaSchema';
import type { OutputSchema } from './OutputSchema';
import { readSchema } from './readSchema';

const NO_JSON = 'the text is not JSON, and it does not contain exactly one JSON object or array';
const TOO_LARGE = 'it is too large to be checked';
// What a check may take, in characters that could be written meanwhile: some 0.2 s.
const MAX_WORK = 50_000_000;
const VALUE_WORK = 300;

/** The data in an output, or the first mismatches, with their paths. */
export type OutputCheck = { data: unknown } | { mismatches: string[] };

/** Finds the data in a job's output and checks whether it matches. Never throws. */
export function checkOutput(output: unknown, { schema: schemaText }: OutputSchema): OutputCheck {
	if (output === undefined) return { mismatches: ['there is no output'] };
	const text = typeof output === 'string' ? output : JSON.stringify(output);
	if (Buffer.byteLength(text) > MB) return { mismatches: [TOO_LARGE] };
	const json = findJson(text);
	if (json === undefined) return { mismatches: [NO_JSON] };
	const data = parseJson(json);
	if (data === json) return { mismatches: [TOO_LARGE] };
	try {
		const schema = readSchema(schemaText);
		const work = workOf(data, [...schemasIn(schema)]);
		if (work > MAX_WORK) return { mismatches: [TOO_LARGE] };
		const first = findMismatches(data, schema);
		if (first.length === 0) return { data };
		// Each value can have as many mismatches as the schema has keywords.
		const isSmall = work * (1 + schemaText.length / VALUE_WORK) < MAX_WORK / 10;
		return { mismatches: isSmall ? findMismatches(data, schema, false) : first };
	} catch (error) {
		return { mismatches: [`it could not be checked: ${messageOf(error)}`] };
	}
}

// An estimate. The library also writes all choices for each value
// that is none of them, and compares each entry of a list with each other one.
function workOf(data: unknown, schemas: JsonSchema[]): number {
	let values = 0;
	let longestList = 0;
	JSON.stringify(data, (_key, value: unknown) => {
		values++;
		if (Array.isArray(value)) longestList = Math.max(longestList, value.length);
		return value;
	});
	const choices = schemas.flatMap((one) => [one.const ?? 0, one.enum ?? 0]);
	const comparisons = schemas.some((one) => one.uniqueItems === true) ? longestList : 0;
	return values * (VALUE_WORK + JSON.stringify(choices).length + 5 * comparisons);
}

import { messageOf } from '../errors/ServiceError';
import { describeMismatches } from './describeMismatches';
import { findJson } from './findJson';
import type { OutputForm } from './OutputForm';
import { validate } from './validate';

/** The data in an output, or the first mismatches, with their paths. */
export type OutputCheck = { data: unknown } | { mismatches: string[] };

/** Finds the data in a job's output and checks its form. Never throws. */
export async function checkOutput(output: unknown, { schema }: OutputForm): Promise<OutputCheck> {
	const data = findJson(output);
	if (data === undefined) {
		return {
			mismatches: [
				output === undefined
					? 'there is no output'
					: 'the text is not JSON, and it does not contain exactly one JSON object or array',
			],
		};
	}
	try {
		const mismatches = describeMismatches(await validate(data, schema));
		return mismatches.length === 0 ? { data } : { mismatches };
	} catch (error) {
		return { mismatches: [`it could not be checked: ${messageOf(error)}`] };
	}
}

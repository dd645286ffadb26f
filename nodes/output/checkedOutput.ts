import { isSuccessful } from '../jobs/status';
import type { Job } from '../service/types';
import { checkOutput } from '../structuredOutput/checkOutput';
import type { OutputSchema } from '../structuredOutput/OutputSchema';

/** A checked output, as an item has it: as data or, with errors, as it came. */
export interface CheckedOutput {
	output: unknown;
	output_errors?: string[];
}

/**
 * Checks whether the output of a completed job matches the schema that the user has set. Undefined
 * without a schema, and for a job that has not completed. Never throws.
 */
export function toCheckedOutput(
	job: Job,
	schema: OutputSchema | undefined,
	toPlainText: (text: string) => string,
): CheckedOutput | undefined {
	if (schema === undefined || !isSuccessful(job)) return undefined;
	const check = checkOutput(job.output, schema);
	if ('data' in check) return { output: check.data };
	return { output: job.output, output_errors: check.mismatches.map(toPlainText) };
}

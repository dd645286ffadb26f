import { isSuccessful } from '../jobs/status';
import type { Job } from '../service/types';
import { checkOutput, type CheckedOutput } from '../structuredOutput/checkOutput';
import type { OutputSchema } from '../structuredOutput/OutputSchema';

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
	const { output, output_errors } = checkOutput(job.output, schema);
	return { output, output_errors: output_errors?.map(toPlainText) };
}

import { isSuccessful } from '../jobs/status';
import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import { checkOutput, type CheckedOutput } from '../structuredOutput/checkOutput';
import type { OutputSchema } from '../structuredOutput/readSchema';

/**
 * Checks the output of a completed job against a schema. Returns undefined without a schema, and
 * for a job that is not completed. Never throws.
 */
export function toCheckedOutput(
	job: Job,
	schema: OutputSchema | undefined,
	redactor: Redactor,
): CheckedOutput | undefined {
	if (schema === undefined || !isSuccessful(job)) return undefined;
	const { output, output_errors } = checkOutput(job.output, schema);
	return { output, output_errors: output_errors?.map((text) => redactor.toPlainText(text)) };
}

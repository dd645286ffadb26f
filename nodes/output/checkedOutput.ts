import { isSuccessful } from '../jobs/status';
import type { Job } from '../service/types';
import { checkOutput } from '../structuredOutput/checkOutput';
import type { OutputForm } from '../structuredOutput/OutputForm';

/** A checked output, as an item has it: as data or, with errors, as it came. */
export interface CheckedOutput {
	output: unknown;
	output_errors?: string[];
}

/**
 * Checks whether the output of a completed job has the form that the user wants. Undefined without
 * such a form, and for a job that has not completed. Never throws.
 */
export async function toCheckedOutput(
	job: Job,
	form: OutputForm | undefined,
	toPlainText: (text: string) => string,
): Promise<CheckedOutput | undefined> {
	if (form === undefined || !isSuccessful(job)) return undefined;
	const check = await checkOutput(job.output, form);
	if ('data' in check) return { output: check.data };
	return { output: job.output, output_errors: check.mismatches.map(toPlainText) };
}

import { UserError } from '../../errors/UserError';
import { toCheckedOutput, type CheckedOutput } from '../../output/checkedOutput';
import type { Job } from '../../service/types';
import type { JobContext } from '../../jobs/JobContext';
import type { FinishOptions } from '../../parameters/waiting';

/**
 * Checks the output of a job that has ended, if the user wants that. Throws a `UserError` if it does not
 * match, unless the user has asked for such items; every retry throws it again.
 */
export function requireValidOutput(
	{ client, entry }: JobContext,
	job: Job,
	{ outputSchema, onInvalidOutput }: FinishOptions,
): CheckedOutput | undefined {
	const checked = toCheckedOutput(job, outputSchema, (text) => client.toPlainText(text));
	const [first, ...others] = checked?.output_errors ?? [];
	if (first === undefined || onInvalidOutput === 'return') return checked;
	const more = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const error = new UserError(
		`The output of job ${job.job_id} does not match 'Output Format': ${first}`,
		{
			description: `${more}The job has completed; see its output with Job: Get Status. To get such outputs as items, set 'On Invalid Output' to 'Return'.`,
			jobIds: [job.job_id],
		},
	);
	entry.recordFailed(error);
	throw error;
}

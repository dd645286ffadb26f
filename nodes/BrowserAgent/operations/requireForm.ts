import { UserError } from '../../errors/UserError';
import { toCheckedOutput, type CheckedOutput } from '../../output/checkedOutput';
import type { Job } from '../../service/types';
import type { JobContext } from '../../jobs/JobContext';
import type { FinishOptions } from '../../parameters/waiting';

/**
 * Checks the output of a job that has ended, if the user wants that. Throws a `UserError` if an output
 * does not match and the user has not asked for such items: then every further try throws it, too.
 */
export async function requireForm(
	{ client, entry }: JobContext,
	job: Job,
	{ form, onInvalidOutput }: FinishOptions,
): Promise<CheckedOutput | undefined> {
	const checked = await toCheckedOutput(job, form, (text) => client.toPlainText(text));
	const [first, ...others] = checked?.output_errors ?? [];
	if (first === undefined || onInvalidOutput === 'return') return checked;
	const more = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const error = new UserError(`The output of job ${job.job_id} does not match: ${first}`, {
		description: `${more}The job has completed; see its output with Job: Get Status. To get such outputs as items, set 'On Invalid Output' to 'Return'.`,
		jobIds: [job.job_id],
	});
	entry.recordFailed(error);
	throw error;
}

import { UserError } from '../../errors/UserError';
import { jobLinks } from '../../jobs/jobLinks';
import type { JobSession } from '../../jobs/JobSession';
import { toCheckedOutput } from '../../output/checkedOutput';
import type { ItemOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { CheckedOutput } from '../../structuredOutput/checkOutput';

const MAX_BEGINNING_CHARACTERS = 200;

/**
 * Checks the output of a job, and returns undefined if there is nothing to check. Unless 'On
 * Invalid Output' is 'Return', throws a `UserError` for an output that does not match, and records
 * it in the ledger, so that retries throw the same error.
 */
export function requireValidOutput(
	session: JobSession,
	job: Job,
	{ outputSchema, onInvalidOutput }: ItemOptions,
): CheckedOutput | undefined {
	const checked = toCheckedOutput(job, outputSchema, session.client.redactor);
	const mismatches = checked?.output_errors ?? [];
	if (mismatches.length === 0 || onInvalidOutput === 'return') return checked;

	const error = invalidOutputError(session, job, mismatches);
	session.entry.record('failureRecorded', { error });
	throw error;
}

function invalidOutputError(
	session: JobSession,
	job: Job,
	[first, ...others]: string[],
): UserError {
	const { job_id, output } = job;
	const also = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	const shown = session.client.redactor.toPlainText(text, MAX_BEGINNING_CHARACTERS);
	const beginning = shown === '' ? '' : `The output begins with "${shown}". `;
	return new UserError(`The output of job ${job_id} does not match 'Output Format': ${first}`, {
		description: `${also}${beginning}See the whole output with Job: Get Status, or set 'On Invalid Output' to 'Return' to get such outputs as items.`,
		jobIds: [job_id],
		links: jobLinks(session, job),
	});
}

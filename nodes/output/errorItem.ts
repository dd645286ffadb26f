import type { INodeExecutionData } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { logUnexpected, toSafeText, type ErrorSource } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { omitUndefined } from './jobItem';

/**
 * Returns the output item for an input item that failed, for both forms of Continue On Fail.
 * Logs an unexpected error.
 *
 * The `INodeExecutionData` must not set `error`: n8n would replace the JSON with that error's
 * message. The JSON must have no fields but `error` and `details`: otherwise, n8n wouldn't send
 * the item to the error output.
 */
export function toErrorItem(
	error: UserError,
	source: ErrorSource,
	itemIndex: number,
): INodeExecutionData {
	const { job, jobIds = [] } = error.details;
	const [jobId, ...others] = jobIds;
	const named = jobId === undefined || others.length > 0 ? undefined : { job_id: jobId };
	const { status } = job ?? {};
	const safeStatus =
		status === undefined ? undefined : toPlainText(source.redact(status), MAX_NAME_CHARACTERS);
	const previous_jobs = job?.previous_jobs?.map((previous) => omitUndefined({ ...previous }));
	const details =
		job === undefined ? named : omitUndefined({ ...job, status: safeStatus, previous_jobs });
	// Doesn't create an n8n error: its constructor is slow, because it walks the stack.
	const { message } = toSafeText(error, source);
	logUnexpected(error, source);
	return { json: omitUndefined({ error: message, details }), pairedItem: { item: itemIndex } };
}

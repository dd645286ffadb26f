import type { INodeExecutionData } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { logUnexpected, toSafeText, type ErrorSource } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { omitUndefined } from './jobItem';

/**
 * The item of a failed input item, for Continue On Fail in both forms. It has no `error` beside its
 * JSON, which n8n would replace by that error's message. n8n sends it to the error output because
 * its JSON has no other fields than these.
 */
export function toErrorItem(
	error: UserError,
	source: ErrorSource,
	item: number,
): INodeExecutionData {
	const { job, jobIds = [] } = error.details;
	const [jobId, ...others] = jobIds;
	const named = jobId === undefined || others.length > 0 ? undefined : { job_id: jobId };
	const { status } = job ?? {};
	const safeStatus =
		status === undefined ? undefined : toPlainText(source.redact(status), MAX_NAME_CHARACTERS);
	const details = job === undefined ? named : omitUndefined({ ...job, status: safeStatus });
	// No error of n8n's own: its constructor is slow, because it searches the stack for its origin.
	const { message } = toSafeText(error, source);
	logUnexpected(error, source);
	return { json: omitUndefined({ error: message, details }), pairedItem: { item } };
}

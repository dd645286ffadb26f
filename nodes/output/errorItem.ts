import type { INodeExecutionData } from 'n8n-workflow';

import { toSafeWords, type ErrorPlace } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { withoutUnset } from './jobItem';

/**
 * The item of a failed input item, for Continue On Fail in both forms. Without an `error` of its own:
 * n8n would make its message the whole JSON. With these fields only, n8n sends it to the error output.
 */
export function toErrorItem(error: UserError, place: ErrorPlace, item: number): INodeExecutionData {
	const { job, jobIds = [] } = error.details;
	const [jobId, ...others] = jobIds;
	const named = jobId === undefined || others.length > 0 ? undefined : { job_id: jobId };
	const details = job === undefined ? named : withoutUnset({ ...job });
	// Not by way of an error of n8n's, which takes its time to note where it was made.
	const { message } = toSafeWords(error, place);
	return { json: withoutUnset({ error: message, details }), pairedItem: { item } };
}

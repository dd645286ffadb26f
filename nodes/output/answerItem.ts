import type { IDataObject } from 'n8n-workflow';

import { withoutUnset } from './jobItem';

/**
 * An answer about a job whose form is not documented: an object's fields stand beside the job's ID,
 * anything else under `response`, nothing nowhere. An `error` in it is called `job_error`, since
 * n8n's Retry On Fail would run the node again. The address of a browser is left out.
 */
export function toAnswerItem(jobId: string, body: unknown): IDataObject {
	if (body === undefined || body === null || body === '') return { job_id: jobId };
	if (typeof body !== 'object' || Array.isArray(body)) return { job_id: jobId, response: body };

	const { error, job_id: _own, cdp_url: _secret, ...fields } = body as IDataObject;
	const known = Object.entries(fields).map(([name, value]) => [name, value ?? undefined]);
	return withoutUnset({
		job_id: jobId,
		...Object.fromEntries(known),
		job_error: fields.job_error ?? error ?? undefined,
	});
}

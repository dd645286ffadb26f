import type { IDataObject } from 'n8n-workflow';

import { withoutUnset } from './jobItem';

/**
 * An undocumented response about a job: the fields of an object beside the job's ID, anything else
 * under `response`. An `error` in it becomes `job_error`, since n8n's Retry On Fail would run the node
 * again; the address of a browser is left out.
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

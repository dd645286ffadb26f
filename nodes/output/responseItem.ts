import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../isObject';
import { omitUndefined } from './jobItem';

/**
 * An undocumented response: the fields of an object beside the job's ID, anything else under `response`. An
 * `error` becomes `job_error`, as in `toJobItem`; the address of a browser is left out.
 */
export function toResponseItem(jobId: string, body: unknown): IDataObject {
	if (body === undefined || body === null || body === '') return { job_id: jobId };
	const shown = withoutAddress(body);
	if (!isObject(shown)) return { job_id: jobId, response: shown };

	const { error, ...fields } = shown;
	const known = Object.entries(fields)
		.filter(([name]) => name !== 'job_id')
		.map(([name, value]) => [name, value ?? undefined]);
	return omitUndefined({
		job_id: jobId,
		...Object.fromEntries(known),
		job_error: fields.job_error ?? error ?? undefined,
	});
}

function withoutAddress(body: unknown): IDataObject[string] {
	const text = JSON.stringify(body, (name, value: unknown) =>
		name === 'cdp_url' ? undefined : value,
	);
	return JSON.parse(text) as IDataObject[string];
}

import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../isObject';
import { omitUndefined } from './jobItem';

/**
 * Returns the JSON of a job that was paused or resumed. It contains `message` and `data` of the
 * response if they are present: the response is undocumented. The response's `status` is left out,
 * because it would be taken for the job's, and so is a `cdp_url` in `data`.
 */
export function toResponseItem(jobId: string, body: unknown): IDataObject {
	const { message, data } = isObject(body) ? body : {};
	return omitUndefined({
		job_id: jobId,
		message: message ?? undefined,
		data: withoutCdpUrls(data ?? undefined),
	});
}

/** Returns a copy of the data without its `cdp_url` fields, however deep. */
export function withoutCdpUrls(data: IDataObject[string]): IDataObject[string] {
	if (data === undefined) return undefined;
	const text = JSON.stringify(data, (name, value: unknown) =>
		name === 'cdp_url' ? undefined : value,
	);
	return JSON.parse(text) as IDataObject[string];
}

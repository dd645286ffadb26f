import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../isObject';
import { omitUndefined } from './jobItem';

/**
 * The item of a job that was paused or resumed: of the response, whose form is not documented,
 * `message` and `data` as far as they are there. Its `status` would be taken for the job's. The
 * address of a browser is left out.
 */
export function toResponseItem(jobId: string, body: unknown): IDataObject {
	const { message, data } = isObject(body) ? body : {};
	return omitUndefined({
		job_id: jobId,
		message: message ?? undefined,
		data: withoutAddress(data ?? undefined),
	});
}

/** The same data without the addresses of browsers that have a field of their own. */
export function withoutAddress(data: IDataObject[string]): IDataObject[string] {
	if (data === undefined) return undefined;
	const text = JSON.stringify(data, (name, value: unknown) =>
		name === 'cdp_url' ? undefined : value,
	);
	return JSON.parse(text) as IDataObject[string];
}

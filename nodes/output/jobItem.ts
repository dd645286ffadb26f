import type { IDataObject } from 'n8n-workflow';

import { isFinished } from '../jobs/status';
import type { JobRecord } from '../jobs/TrackedJob';
import type { Job } from '../service/types';
import { parseJsonOutput, type CheckedOutput } from '../structuredOutput/checkOutput';

/** Options for `toJobItem`. */
export interface JobItemOptions {
	/** If false, the item has the service's whole response under `response`. */
	simplify: boolean;
	/** Whether an output that is JSON text becomes data, in a simplified item. */
	parsesJson?: boolean;
	/** The output after a check against a schema. If unset, it was not checked. */
	checked?: CheckedOutput;
	/** The value of `is_finished` in a simplified item. If unset, the job's status decides. */
	isFinished?: boolean;
	durationSeconds?: number;
	/** Whether a simplified item has the CDP URL of the job's browser, which is a secret. */
	returnCdpUrl?: boolean;
	/** More fields of the item, simplified or not. */
	extraFields?: IDataObject;
}

/**
 * Returns the JSON of a job's item. The job's error is named `job_error`: a field `error` would
 * make n8n's Retry On Fail run the node again.
 */
export function toJobItem(job: Job, options: JobItemOptions): IDataObject {
	const { job_id, status } = job;
	const { checked } = options;
	if (!options.simplify) {
		return omitUndefined({
			status,
			...checked,
			job_id,
			...options.extraFields,
			response: job.body,
		});
	}

	return omitUndefined({
		status,
		output: options.parsesJson === true ? parseJsonOutput(job.output) : job.output,
		...checked,
		job_error: job.error,
		job_id,
		credits_used: job.credits_used,
		live_url: job.live_url,
		history_url: job.history_url,
		cdp_url: options.returnCdpUrl === true ? job.cdp_url : undefined,
		duration_seconds: options.durationSeconds,
		is_finished: options.isFinished ?? isFinished(job),
		...options.extraFields,
	});
}

/**
 * Returns the JSON of a job that the node started without waiting for it. If simplified, it has
 * these `fields` of the service's response, otherwise the whole response.
 */
export function toStartedItem(
	{ job_id, start }: JobRecord,
	{ simplify, fields }: { simplify: boolean; fields: string[] },
): IDataObject {
	const { status, body = {} } = start ?? {};
	if (!simplify) return omitUndefined({ status, job_id, response: body });
	const chosen = fields.map((field) => [field, body[field] ?? undefined]);
	return omitUndefined({ status, job_id, ...Object.fromEntries(chosen), is_finished: false });
}

/** Returns a copy of the item without the fields that are undefined. */
export function omitUndefined(item: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(item).filter(([, value]) => value !== undefined),
	) as IDataObject;
}

import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { isObject } from '../isObject';
import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import { type CheckedOutput, checkOutput, parseJsonOutput } from '../structuredOutput/checkOutput';
import type { OutputSchema } from '../structuredOutput/readSchema';
import type { StoredFile } from './jobFiles';
import type { JobOptions } from './JobTask';
import { isFinished, isSuccessful } from './status';
import type { JobRecord } from './TrackedJob';

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

/** Options for `toJobItem`. */
export interface JobItemOptions
	extends Pick<JobOptions, 'simplify'>, Partial<Pick<JobOptions, 'parsesJson' | 'returnCdpUrl'>> {
	/** The output after a check against a schema. If unset, it was not checked. */
	checked?: CheckedOutput;
	/** The value of `is_finished` in a simplified item. If unset, the job's status decides. */
	isFinished?: boolean;
	durationSeconds?: number;
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

/** The files of an item: binary data under `file_0`, `file_1`, …, and a list describing it. */
export interface AttachedFiles {
	files: IDataObject[];
	binary: IBinaryKeyData;
}

/** Attaches files to an item. */
export function toAttachedFiles(stored: StoredFile[]): AttachedFiles {
	const attached: AttachedFiles = { files: [], binary: {} };
	for (const file of stored) {
		const property = `file_${attached.files.length}`;
		attached.binary[property] = file.stored;
		attached.files.push({
			filename: file.filename,
			size_bytes: file.sizeBytes,
			mime_type: file.stored.mimeType,
			binary_property: property,
		});
	}
	return attached;
}

/**
 * Checks the output of a completed job against a schema. Returns undefined without a schema, and
 * for a job that is not completed. Never throws.
 */
export function toCheckedOutput(
	job: Job,
	schema: OutputSchema | undefined,
	redactor: Redactor,
): CheckedOutput | undefined {
	if (schema === undefined || !isSuccessful(job)) return undefined;
	const { output, output_errors } = checkOutput(job.output, schema);
	return { output, output_errors: output_errors?.map((text) => redactor.toPlainText(text)) };
}

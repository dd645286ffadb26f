import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { kindOf } from '../errors/ServiceError';
import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { downloadJobFiles, listJobFiles } from '../jobs/jobFiles';
import { isFinished } from '../jobs/status';
import { jobDurationMs, toSeconds } from '../jobs/waitOutcome';
import { toCheckedOutput } from '../output/checkedOutput';
import { toAttachedFiles, type AttachedFiles } from '../output/fileItem';
import { toJobItem } from '../output/jobItem';
import { readCollection, readField, toParameterContext } from '../parameters/field';
import { JOB_FILE_OPTIONS, simplifyField, toJobFileOptions } from '../parameters/options';
import { readOutputFormat } from '../parameters/outputFormat';
import type { ServiceClient } from '../service/ServiceClient';
import type { PolledJob } from './pollJobs';

/** How the trigger shows a job. Throws a `UserError` that names the parameter. */
export function readEventOptions(context: IPollFunctions) {
	const parameters = toParameterContext(context);
	return {
		simplify: readField(parameters, 0, simplifyField),
		...readOutputFormat(parameters, 0),
		...toJobFileOptions(readCollection(parameters, 0, 'options', JOB_FILE_OPTIONS)),
	};
}

/** The item of an event, with the files that arrive until `deadline`. Never throws: it comes only once. */
export async function toEventItem(
	context: IPollFunctions,
	client: ServiceClient,
	{ jobId, job }: PolledJob,
	options: ReturnType<typeof readEventOptions>,
	{ clock, deadline }: { clock: Clock; deadline: number },
): Promise<INodeExecutionData> {
	const detected_at = new Date().toISOString();
	if (job === undefined) {
		return { json: { job_id: jobId, status: 'not_found', is_finished: false, detected_at } };
	}
	const checked = toCheckedOutput(job, options.outputSchema, client.redactor);
	const durationMs = isFinished(job) ? jobDurationMs(job) : undefined;
	const durationSeconds = durationMs === undefined ? undefined : toSeconds(durationMs);
	const json = toJobItem(job, { ...options, checked, durationSeconds });
	if (!options.downloadFiles || !isFinished(job)) return { json: { ...json, detected_at } };

	const signal = clock.timeout(deadline - clock.now());
	const { binary, ...files } = await attachFiles(context, client, jobId, {
		clock,
		signal,
		maxBytes: options.maxFileBytes,
	});
	return { json: { ...json, ...files, detected_at } as IDataObject, binary };
}

async function attachFiles(
	{ helpers }: IPollFunctions,
	client: ServiceClient,
	jobId: string,
	{ clock, signal, maxBytes }: { clock: Clock; signal: AbortSignal; maxBytes: number },
): Promise<Partial<AttachedFiles> & { files_error?: string }> {
	try {
		const storeFile = helpers.prepareBinaryData;
		const job = { client, clock, signal, storeFile, showHint() {} };
		const list = await listJobFiles(job, jobId, { isFinished: true });
		const results = await downloadJobFiles(job, list, { maxBytes });
		const failed = results.find((result) => 'error' in result);
		return {
			...toAttachedFiles(results),
			...(failed && { files_error: reasonOf(failed.error, jobId, failed.filename) }),
		};
	} catch (error) {
		return { files_error: reasonOf(error, jobId) };
	}
}

function reasonOf(error: unknown, jobId: string, filename?: string): string {
	// Nobody stops a poll: it was the deadline.
	const isLate = kindOf(error) === 'aborted';
	const reason = isLate ? new UserError('the poll ran out of time') : error;
	return toUserError(reason, { jobId, filename }).message;
}

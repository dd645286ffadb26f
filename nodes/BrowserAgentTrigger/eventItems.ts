import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isFinished, reportedDurationMs, toSeconds } from '../jobs/status';
import { toCheckedOutput } from '../output/checkedOutput';
import { toJobItem } from '../output/jobItem';
import { readField, toParameterContext } from '../parameters/field';
import { simplifyField } from '../parameters/options';
import { readOutputFormat } from '../parameters/outputFormat';
import type { ServiceClient } from '../service/ServiceClient';
import type { PolledJob } from './pollJobs';

/** Reads how items show jobs. Throws a `UserError` that names the parameter. */
export function readEventOptions(context: IPollFunctions) {
	const parameters = toParameterContext(context);
	return {
		simplify: readField(parameters, 0, simplifyField),
		...readOutputFormat(parameters, 0),
	};
}

/** Returns an item for each job that the service returned or did not find, and none for others. */
export function toEventItems(
	client: ServiceClient,
	polled: PolledJob[],
	options: ReturnType<typeof readEventOptions>,
): INodeExecutionData[] {
	// Wall-clock time: `Clock` doesn't follow changes to the system clock.
	const detected_at = new Date().toISOString();
	return polled.flatMap((polledJob): INodeExecutionData[] => {
		const { jobId: job_id } = polledJob;
		if (polledJob.kind === 'notFound') {
			return [{ json: { status: 'not_found', job_id, is_finished: false, detected_at } }];
		}
		if (polledJob.kind !== 'seen') return [];

		const { job } = polledJob;
		const checked = toCheckedOutput(job, options.outputSchema, client.redactor);
		const durationMs = isFinished(job) ? reportedDurationMs(job) : undefined;
		const durationSeconds = durationMs === undefined ? undefined : toSeconds(durationMs);
		return [{ json: { ...toJobItem(job, { ...options, checked, durationSeconds }), detected_at } }];
	});
}

import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { jobDurationMs, toSeconds } from '../jobs/jobDuration';
import { isFinished } from '../jobs/status';
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

/** Returns an item for each job that was seen or not found. */
export function toEventItems(
	client: ServiceClient,
	polled: PolledJob[],
	options: ReturnType<typeof readEventOptions>,
): INodeExecutionData[] {
	// The time of day. `Clock` ignores it when the clock of the machine is set.
	const detected_at = new Date().toISOString();
	return polled.flatMap((one): INodeExecutionData[] => {
		const { jobId: job_id } = one;
		if (one.kind === 'notFound') {
			return [{ json: { job_id, status: 'not_found', is_finished: false, detected_at } }];
		}
		if (one.kind !== 'seen') return [];

		const { job } = one;
		const checked = toCheckedOutput(job, options.outputSchema, client.redactor);
		const durationMs = isFinished(job) ? jobDurationMs(job) : undefined;
		const durationSeconds = durationMs === undefined ? undefined : toSeconds(durationMs);
		return [{ json: { ...toJobItem(job, { ...options, checked, durationSeconds }), detected_at } }];
	});
}

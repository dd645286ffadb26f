import { jobIdsField } from '../../../parameters/ids';
import { readCollection, readField, withDescription } from '../../../parameters/field';
import { optionsField, simplifyField } from '../../../parameters/options';
import { pausePolicyOption } from '../../../parameters/pausePolicy';
import { outputFormatFields } from '../../../parameters/outputFormat';
import {
	DEFAULT_MAX_WAIT_MINUTES,
	readWaitParameters,
	WAIT_OPTIONS,
} from '../../../parameters/waiting';
import { waitForGivenJob } from '../../runJob';
import type { Operation } from '../operation';

const maxParallelOption = withDescription(
	WAIT_OPTIONS.maxParallelJobs,
	'Maximum number of jobs to wait for at the same time',
);

const PAUSE_OPTION = {
	// Not 'On Stop': who stops an execution while building it must not pause the jobs of a colleague.
	pauseJob: pausePolicyOption(
		'never',
		'When to pause the job, also one that others have started. Unless resumed within 6 hours, the service marks it as failed.',
	),
};

export const waitForJobOperation: Operation = {
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for job',
		description: 'Wait for a job to finish and get its result',
	},
	fields: [
		jobIdsField.property,
		...outputFormatFields,
		simplifyField.property,
		optionsField({ ...WAIT_OPTIONS, maxParallelJobs: maxParallelOption, ...PAUSE_OPTION }),
	],

	prepare(context, itemIndex) {
		const { result, suspends, maxParallel } = readWaitParameters(
			context,
			itemIndex,
			DEFAULT_MAX_WAIT_MINUTES,
		);
		const { pauseJob } = readCollection(context, itemIndex, 'options', PAUSE_OPTION);
		return readField(context, itemIndex, jobIdsField).map((jobId) => ({
			subject: { jobId },
			// All waits begin at once if they should be suspended: the run can be suspended only when its
			// last wait has begun. There is nothing to limit, since no job is started.
			maxParallel: suspends ? Infinity : maxParallel,
			job: { jobId, pauseJob, waits: true, suspends },
			execute: async (work) => await waitForGivenJob(work, result),
		}));
	},
};

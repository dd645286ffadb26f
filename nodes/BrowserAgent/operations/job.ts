import { toJobItem, toResponseItem } from '../../jobs/item';
import { pageLinks } from '../../jobs/links';
import { hasFinalStatus } from '../../jobs/status';
import { withDescription } from '../../parameters/field';
import { jobIdField, jobIdsField } from '../../parameters/ids';
import { optionsField } from '../../parameters/options';
import { OUTPUT_FORMAT_FIELDS, toOutputFormat } from '../../parameters/outputFormat';
import { simplifyField } from '../../parameters/simplify';
import {
	DEFAULT_MAX_WAIT_MINUTES,
	WAIT_OPTIONS,
	pausePolicyOption,
	toJobOptions,
} from '../../parameters/waiting';
import { waitForGivenJob } from '../runJob';
import { MAX_CONCURRENT_READS, operation } from './Operation';

export const getJobOperation = operation({
	option: {
		name: 'Get Status',
		value: 'get',
		action: 'Get job status',
		description: 'Get the current status of a job',
	},
	fields: { jobId: jobIdField, simplify: simplifyField },

	prepare({ jobId, simplify }) {
		return {
			subject: { jobId },
			maxParallel: MAX_CONCURRENT_READS,
			async execute({ run, client }) {
				const { executionId, signal } = run;
				const job = await client.getJob(jobId, { group: executionId, signal, retry: true });
				const json = toJobItem(job, { simplify });
				const links = pageLinks(client.redactor, job, hasFinalStatus(job));
				return [{ kind: 'output', json, links }];
			},
		};
	},
});

export const pauseJobOperation = operation({
	option: {
		name: 'Pause',
		value: 'pause',
		action: 'Pause job',
		description:
			'Pause a running job. Unless it is resumed within 6 hours, the service marks it as failed.',
	},
	fields: { jobId: jobIdField },

	prepare({ jobId }) {
		return {
			subject: { jobId, action: 'pause' },
			async execute({ run: { signal }, client }) {
				const response = await client.pauseJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
});

export const resumeJobOperation = operation({
	option: {
		name: 'Resume',
		value: 'resume',
		action: 'Resume job',
		description: 'Resume a paused job',
	},
	fields: { jobId: jobIdField },

	prepare({ jobId }) {
		return {
			subject: { jobId, action: 'resume' },
			async execute({ run: { signal }, client }) {
				const response = await client.resumeJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
});

const maxParallelOption = withDescription(
	WAIT_OPTIONS.maxParallelJobs,
	'Maximum number of jobs to wait for at the same time',
);

const PAUSE_OPTION = {
	// Not 'On Stop': stopping a test run in the editor must not pause a colleague's jobs.
	pauseJob: pausePolicyOption(
		'never',
		'When to pause the job, also one that others have started. Unless resumed within 6 hours, the service marks it as failed.',
	),
};

export const waitForJobOperation = operation({
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for job',
		description: 'Wait for a job to finish and get its result',
	},
	fields: {
		jobId: jobIdsField,
		...OUTPUT_FORMAT_FIELDS,
		simplify: simplifyField,
		options: optionsField({
			...WAIT_OPTIONS,
			maxParallelJobs: maxParallelOption,
			...PAUSE_OPTION,
		}),
	},

	prepare(values) {
		const options = toJobOptions(values, toOutputFormat(values), DEFAULT_MAX_WAIT_MINUTES);
		const { pauseJob } = values.options;
		return values.jobId.map((jobId) => ({
			subject: { jobId },
			// All waits begin at once if they should be suspended: the run can be suspended only when its
			// last wait has begun. There is nothing to limit, since no job is started.
			maxParallel: options.suspends ? Infinity : undefined,
			job: { jobId, pauseJob, options },
			execute: async (work) => await waitForGivenJob(work, options),
		}));
	},
});

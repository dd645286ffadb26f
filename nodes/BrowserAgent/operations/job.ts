import { toJobItem, toResponseItem } from '../../jobs/item';
import { pageLinks } from '../../jobs/links';
import { hasFinalStatus } from '../../jobs/status';
import { readCollection, readField, withDescription } from '../../parameters/field';
import { jobIdField, jobIdsField } from '../../parameters/ids';
import { optionsField } from '../../parameters/options';
import { outputFormatFields } from '../../parameters/outputFormat';
import { simplifyField } from '../../parameters/simplify';
import {
	DEFAULT_MAX_WAIT_MINUTES,
	WAIT_OPTIONS,
	pausePolicyOption,
	readJobOptions,
} from '../../parameters/waiting';
import { MAX_CONCURRENT_READS, type Operation } from '../Run';
import { waitForGivenJob } from '../runJob';

export const getJobOperation: Operation = {
	option: {
		name: 'Get Status',
		value: 'get',
		action: 'Get job status',
		description: 'Get the current status of a job',
	},
	fields: [jobIdField.property, simplifyField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		const simplify = readField(context, itemIndex, simplifyField);
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
};

export const pauseJobOperation: Operation = {
	option: {
		name: 'Pause',
		value: 'pause',
		action: 'Pause job',
		description:
			'Pause a running job. Unless it is resumed within 6 hours, the service marks it as failed.',
	},
	fields: [jobIdField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		return {
			subject: { jobId, action: 'pause' },
			async execute({ run: { signal }, client }) {
				const response = await client.pauseJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
};

export const resumeJobOperation: Operation = {
	option: {
		name: 'Resume',
		value: 'resume',
		action: 'Resume job',
		description: 'Resume a paused job',
	},
	fields: [jobIdField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		return {
			subject: { jobId, action: 'resume' },
			async execute({ run: { signal }, client }) {
				const response = await client.resumeJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
};

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
		const options = readJobOptions(context, itemIndex, DEFAULT_MAX_WAIT_MINUTES);
		const { pauseJob } = readCollection(context, itemIndex, 'options', PAUSE_OPTION);
		return readField(context, itemIndex, jobIdsField).map((jobId) => ({
			subject: { jobId },
			// All waits begin at once if they should be suspended: the run can be suspended only when its
			// last wait has begun. There is nothing to limit, since no job is started.
			maxParallel: options.suspends ? Infinity : undefined,
			job: { jobId, pauseJob, options },
			execute: async (work) => await waitForGivenJob(work, options),
		}));
	},
};

import type { IDataObject } from 'n8n-workflow';

import type { WaitOptions } from '../jobs/JobWait';
import {
	boolean,
	choice,
	notInTools,
	number,
	readCollection,
	readField,
	wholeNumber,
	type ParameterContext,
} from './field';
import { JOB_FILE_OPTIONS, simplifyField, toJobFileOptions, type JobFileOptions } from './options';
import { readOutputFormat, type OutputFormat } from './outputFormat';

/** How a job becomes an item once the wait for it is over. JSON-serializable. */
export interface ItemOptions extends OutputFormat, JobFileOptions {
	/** What to do with an output that does not match the schema. */
	onInvalidOutput: 'fail' | 'return';
	simplify: boolean;
	/** Whether a simplified item contains the CDP URL of the job's browser: a secret. */
	returnCdpUrl?: boolean;
	/** More fields for the item, whether or not it is simplified. */
	extraFields?: IDataObject;
}

/** The parameters of an operation that waits. */
export interface WaitParameters {
	waitOptions: WaitOptions;
	itemOptions: ItemOptions;
	/** Whether to suspend the wait while the job runs. */
	suspends: boolean;
	/** The maximum number of items that wait at a time. */
	maxParallel: number;
}

/**
 * What an unset 'Max Wait (Minutes)' means, except for an agent whose job may run for longer than
 * 30 minutes.
 */
export const DEFAULT_MAX_WAIT_MINUTES = 60;

const DEFAULT_MAX_PARALLEL_JOBS = 10;
const MINUTE_MS = 60_000;

export const waitUntilFinishedField = boolean({
	displayName: 'Wait Until Finished',
	name: 'waitUntilFinished',
	type: 'boolean',
	default: true,
	description: 'Whether to wait for the job to finish and return its result',
	builderHint: {
		propertyHint:
			'With false, the item has only job_id, links and is_finished: false; get the result with a later Job: Wait node.',
	},
});

// n8n can't suspend a tool of an agent.
export const suspendWhileWaitingField = notInTools(
	boolean({
		displayName: 'Suspend While Waiting',
		name: 'suspendWhileWaiting',
		type: 'boolean',
		default: false,
		description:
			"Whether to suspend the execution while the job runs, like the Wait node, so it doesn't occupy a worker and survives restarts. The status is checked once a minute or less often.",
		builderHint: {
			propertyHint:
				"Set to true for jobs that take longer than a few minutes. Can't be combined with options.maxAttempts above 1.",
		},
	}),
);

/**
 * The options of every operation that waits. `default` is the value that an option gets when the
 * user adds it, usually the opposite of what an unset option means: `readWaitParameters` defines
 * that.
 */
export const WAIT_OPTIONS = {
	...JOB_FILE_OPTIONS,
	// Each call of a tool runs one job.
	maxParallelJobs: notInTools(
		wholeNumber({
			displayName: 'Max Parallel Jobs',
			name: 'maxParallelJobs',
			type: 'number',
			default: DEFAULT_MAX_PARALLEL_JOBS,
			description: `Maximum number of jobs to run at the same time. If not set: ${DEFAULT_MAX_PARALLEL_JOBS}.`,
			bounds: { min: 1 },
		}),
	),
	maxWaitMinutes: number({
		displayName: 'Max Wait (Minutes)',
		name: 'maxWaitMinutes',
		type: 'number',
		default: 60,
		description:
			"Maximum time to wait for a job, pauses included. If not set: 60 or, for Agent: Run with a 'Max Duration (Minutes)' of more than 30, that plus 30.",
	}),
	onInvalidOutput: choice({
		displayName: 'On Invalid Output',
		name: 'onInvalidOutput',
		type: 'options',
		options: [
			{ name: 'Fail', value: 'fail', description: 'Fail with an error that names the mismatch' },
			{
				name: 'Return',
				value: 'return',
				description: 'Return the output unchanged, with the mismatches in output_errors',
			},
		],
		default: 'return',
		description:
			"What to do if the output doesn't match the example or the JSON Schema. If not set: Fail.",
		displayOptions: { show: { '/outputFormat': ['example', 'schema'] } },
	}),
	onJobFailure: choice({
		displayName: 'On Job Failure',
		name: 'onJobFailure',
		type: 'options',
		options: [
			{ name: 'Fail', value: 'fail', description: "Fail with the job's error message" },
			{
				name: 'Return',
				value: 'return',
				description: 'Return the job, with the reason in job_error',
			},
		],
		default: 'return',
		description:
			'What to do if the job fails, is canceled or is taken over by a user. If not set: Fail.',
	}),
	onTakenOver: choice({
		displayName: 'On Taken Over',
		name: 'onTakenOver',
		type: 'options',
		options: [
			{
				name: "Same as 'On Job Failure'",
				value: 'fail',
				description: "Do what 'On Job Failure' says",
			},
			{ name: 'Keep Waiting', value: 'wait', description: 'Wait until the agent continues' },
			{ name: 'Return', value: 'return', description: 'Return the job as it is now' },
		],
		default: 'return',
		description:
			"What to do if a user takes over the job's browser. If not set: Same as 'On Job Failure'.",
	}),
	onTimeout: choice({
		displayName: 'On Timeout',
		name: 'onTimeout',
		type: 'options',
		options: [
			{ name: 'Fail', value: 'fail', description: 'Fail with an error that names the job' },
			{ name: 'Return', value: 'return', description: 'Return the job as it is now' },
		],
		default: 'return',
		description:
			"What to do if the job is still running when 'Max Wait (Minutes)' has passed. If not set: Fail.",
	}),
};

/**
 * Reads the parameters of an operation that waits. Throws a `UserError` that names the parameter.
 * `defaultMaxWaitMinutes`: the maximum wait if 'Max Wait (Minutes)' is not set. Without `format`,
 * the output format is read as well.
 */
export function readWaitParameters(
	context: ParameterContext,
	itemIndex: number,
	defaultMaxWaitMinutes: number,
	format = readOutputFormat(context, itemIndex),
): WaitParameters {
	const options = readCollection(context, itemIndex, 'options', WAIT_OPTIONS);
	return {
		waitOptions: {
			maxWaitMs: (options.maxWaitMinutes ?? defaultMaxWaitMinutes) * MINUTE_MS,
			onJobFailure: options.onJobFailure ?? 'fail',
			onTimeout: options.onTimeout ?? 'fail',
			onTakenOver: options.onTakenOver ?? 'fail',
		},
		itemOptions: {
			...format,
			...toJobFileOptions(options),
			onInvalidOutput: options.onInvalidOutput ?? 'fail',
			simplify: readField(context, itemIndex, simplifyField),
		},
		suspends: readField(context, itemIndex, suspendWhileWaitingField),
		maxParallel: options.maxParallelJobs ?? DEFAULT_MAX_PARALLEL_JOBS,
	};
}

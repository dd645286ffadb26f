import type { JobOptions, PausePolicy, ReturnCase } from '../jobs/JobTask';
import {
	type Field,
	type Values,
	boolean,
	choice,
	choices,
	notInTools,
	number,
	optional,
	wholeNumber,
} from './field';
import { JOB_FILE_OPTIONS, toBytes } from './options';

// Not alphabetical: from the least that the node pauses to the most.
const CHOICES = [
	{ name: 'Never', value: 'never', description: 'The job keeps running and using credits' },
	{
		name: 'On Stop',
		value: 'onStop',
		description: 'When the execution is stopped, by you or by a timeout of n8n',
	},
	{
		name: 'When the Wait Ends Early',
		value: 'onEarlyEnd',
		description:
			"When the execution is stopped, or the wait ends because of a timeout, refused status checks or another item's failure",
	},
] as const;

/** Creates the option 'Pause Job'. `unset` is what holds if the user has not set it. */
export function pausePolicyOption(unset: PausePolicy, description: string): Field<PausePolicy> {
	return choice<PausePolicy>({
		displayName: 'Pause Job',
		name: 'pauseJob',
		type: 'options',
		options: [...CHOICES],
		default: unset,
		description,
		builderHint: {
			propertyHint:
				"'onStop': only when someone stops the execution. 'onEarlyEnd': also at a timeout, after refused status checks or at another item's failure. A job that ends by itself is never paused.",
		},
	});
}

/** The default of 'Max Wait (Minutes)'. */
export const DEFAULT_MAX_WAIT_MINUTES = 60;

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

/** The options of every operation that waits. */
export const WAIT_OPTIONS = {
	...JOB_FILE_OPTIONS,
	// Each call of a tool runs one job.
	maxParallelJobs: notInTools(
		wholeNumber({
			displayName: 'Max Parallel Jobs',
			name: 'maxParallelJobs',
			type: 'number',
			default: 10,
			description:
				'Maximum number of jobs to run at the same time, if there are several input items',
			bounds: { min: 1 },
		}),
	),
	maxWaitMinutes: optional(
		number({
			displayName: 'Max Wait (Minutes)',
			name: 'maxWaitMinutes',
			type: 'number',
			default: DEFAULT_MAX_WAIT_MINUTES,
			description:
				"Maximum time to wait for a job, pauses included. 'Pause Job' says what happens to the job then.",
			builderHint: {
				propertyHint:
					"The node fails then, unless returnInsteadOfFailing has 'timeout'. To end the spending, too, set pauseJob to 'onEarlyEnd'.",
			},
		}),
	),
	returnInsteadOfFailing: choices<ReturnCase>({
		displayName: 'Return Instead of Failing',
		name: 'returnInsteadOfFailing',
		type: 'multiOptions',
		options: [
			{
				name: 'Job Fails or Is Canceled',
				value: 'jobFailure',
				description: 'The item has the reason in job_error',
			},
			{
				name: 'Output Is Invalid',
				value: 'invalidOutput',
				description:
					"The output doesn't match the example or JSON Schema. The item has the mismatches in output_errors.",
			},
			{
				name: 'User Takes Over',
				value: 'takeover',
				description: 'The item has the job as it is, with is_finished true',
			},
			{
				name: 'Wait Times Out',
				value: 'timeout',
				description:
					"'Max Wait (Minutes)' has passed. The item has the job as it is, with is_finished false.",
			},
		],
		default: [],
		description:
			"Cases in which the node returns an item instead of failing. What isn't about the job, such as a wrong parameter, still fails.",
		builderHint: {
			propertyHint:
				"jobFailure: the job failed or was canceled, reason in $json.job_error. invalidOutput: $json.output_errors. takeover: status 'user_taken_over'. timeout: is_finished false. To go on after any error, set the node's On Error instead.",
		},
	}),
	// n8n can't suspend a tool of an agent.
	suspendWhileWaiting: notInTools(
		boolean({
			displayName: 'Suspend While Waiting',
			name: 'suspendWhileWaiting',
			type: 'boolean',
			default: false,
			description:
				'Whether n8n stores the execution while it waits, like the Wait node, so that it occupies no worker and survives restarts. Results arrive minutes later.',
			builderHint: {
				propertyHint:
					"Set to true if jobs take longer than about ten minutes. Can't be combined with maxAttempts above 1.",
			},
		}),
	),
	waitWhileTakenOver: boolean({
		displayName: 'Wait While Taken Over',
		name: 'waitWhileTakenOver',
		type: 'boolean',
		default: false,
		description:
			'Whether to keep waiting while a user controls the browser, until the agent continues or the wait times out',
		builderHint: {
			propertyHint:
				"For a person who helps, e.g. logs in, and hands back. Goes before 'takeover' in returnInsteadOfFailing.",
		},
	}),
};

/**
 * Returns how to wait for a job, and how to make its item, in the form `format`. Throws a
 * `NodeFailure` that names the parameter. `unsetMaxWaitMinutes`: the maximum wait if 'Max Wait
 * (Minutes)' is not set.
 */
export function toJobOptions(
	values: { options: Values<typeof WAIT_OPTIONS>; simplify: boolean },
	format: Pick<JobOptions, 'parsesJson' | 'outputSchema'>,
	unsetMaxWaitMinutes: number,
): JobOptions {
	const {
		downloadFiles,
		maxFileSizeMb,
		maxParallelJobs: maxParallel,
		maxWaitMinutes = unsetMaxWaitMinutes,
		returnInsteadOfFailing,
		suspendWhileWaiting: suspends,
		waitWhileTakenOver,
	} = values.options;
	const { simplify } = values;
	return {
		// Finite, since a suspended wait is stored as JSON.
		maxWaitMs: Math.min(maxWaitMinutes * MINUTE_MS, Number.MAX_SAFE_INTEGER),
		waitWhileTakenOver,
		suspends,
		maxParallel,
		returnInsteadOfFailing,
		simplify,
		...format,
		downloadFiles,
		maxFileBytes: toBytes(maxFileSizeMb),
	};
}

import type { OutcomeOptions } from '../jobs/waitOutcome';
import {
	boolean,
	choice,
	number,
	readCollection,
	wholeNumber,
	type ParameterContext,
} from './field';
import { OUTPUT_OPTIONS, toOutputOptions, type OutputOptions } from './options';

/** What the user wants of an operation that waits. */
export interface WaitParameters extends OutputOptions {
	wait: OutcomeOptions;
	pauseWhenAbandoned: boolean;
	/** Whether the execution is suspended while the job runs. */
	suspends: boolean;
	maxParallel: number;
}

const DEFAULT_MAX_PARALLEL_JOBS = 10;
const MINUTE_MS = 60_000;

export const waitUntilFinishedField = boolean({
	displayName: 'Wait Until Finished',
	name: 'waitUntilFinished',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait for the job and return its result, instead of returning as soon as it is started',
});

/** The options of every operation that waits. */
export const WAIT_OPTIONS = {
	...OUTPUT_OPTIONS,
	durableWait: boolean({
		displayName: 'Free the Worker While Waiting',
		name: 'durableWait',
		type: 'boolean',
		default: false,
		description:
			'Whether n8n itself keeps the wait after a minute at most, in its database: it holds no worker and survives restarts. The jobs are then looked at every minute or more.',
	}),
	maxParallelJobs: wholeNumber(
		{
			displayName: 'Max Parallel Jobs',
			name: 'maxParallelJobs',
			type: 'number',
			default: DEFAULT_MAX_PARALLEL_JOBS,
			description: 'With several input items: how many of their jobs may be unfinished at once',
		},
		{ min: 1 },
	),
	maxWaitMinutes: number({
		displayName: 'Max Wait Minutes',
		name: 'maxWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description:
			"How long to wait for one job. If not set: 60, or, when running an agent, the job's own maximum duration plus 5.",
	}),
	onPaused: choice(
		{
			displayName: 'On Paused',
			name: 'onPaused',
			type: 'options',
			options: [
				{ name: 'Keep Waiting', value: 'wait', description: 'Wait for somebody to resume the job' },
				{ name: 'Return', value: 'return', description: 'Return the job as it stands' },
			],
			default: 'wait',
			description: 'What to do when the job is paused',
		},
		['wait', 'return'],
	),
	onTimeout: choice(
		{
			displayName: 'On Timeout',
			name: 'onTimeout',
			type: 'options',
			options: [
				{ name: 'Fail', value: 'fail', description: 'Stop with an error that names the job' },
				{ name: 'Return', value: 'return', description: 'Return the job as it stands' },
			],
			default: 'fail',
			description: 'What to do when the job takes longer than the node waits',
		},
		['fail', 'return'],
	),
	onUnsuccessful: choice(
		{
			displayName: 'On Unsuccessful',
			name: 'onUnsuccessful',
			type: 'options',
			options: [
				{
					name: 'Fail',
					value: 'fail',
					description: "Stop with an error that gives the job's reason",
				},
				{
					name: 'Return',
					value: 'return',
					description: 'Return the job with its reason in job_error',
				},
			],
			default: 'fail',
			description: 'What to do when the job fails, is taken over by a user or is canceled',
		},
		['fail', 'return'],
	),
	pauseWhenAbandoned: boolean({
		displayName: 'Pause When Abandoned',
		name: 'pauseWhenAbandoned',
		type: 'boolean',
		default: false,
		description:
			'Whether to pause the job when the wait for it ends early, so that it uses no more credits. The service fails a paused job after 6 hours.',
	}),
	pollIntervalSeconds: number(
		{
			displayName: 'Poll Interval Seconds',
			name: 'pollIntervalSeconds',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 5,
			description:
				"The least time between two looks at a job. If not set: short at first, then longer, within the account's rate limit.",
		},
		{ min: 1 },
	),
};

/**
 * Reads and checks the wait options. `maxWaitMinutes` is what an unset 'Max Wait Minutes' means.
 * Throws a `UserError` that names the parameter.
 */
export function readWaitParameters(
	context: ParameterContext,
	item: number,
	maxWaitMinutes: number,
): WaitParameters {
	const options = readCollection(context, item, 'options', WAIT_OPTIONS);
	const { pollIntervalSeconds } = options;
	return {
		wait: {
			maxWaitMs: (options.maxWaitMinutes ?? maxWaitMinutes) * MINUTE_MS,
			pollIntervalMs: pollIntervalSeconds === undefined ? undefined : pollIntervalSeconds * 1000,
			onTimeout: options.onTimeout ?? 'fail',
			onUnsuccessful: options.onUnsuccessful ?? 'fail',
			onPaused: options.onPaused ?? 'wait',
		},
		pauseWhenAbandoned: options.pauseWhenAbandoned ?? false,
		...toOutputOptions(options),
		suspends: options.durableWait ?? false,
		maxParallel: options.maxParallelJobs ?? DEFAULT_MAX_PARALLEL_JOBS,
	};
}

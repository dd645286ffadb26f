import type { INodeProperties } from 'n8n-workflow';

import { UserError } from '../errors/UserError';
import {
	readCollection,
	toBoolean,
	toChoice,
	toNumber,
	toWholeNumber,
	type ParameterContext,
} from './readValue';

/** How an operation waits, and what it makes of how the wait ends. */
export interface WaitOptions {
	maxWaitMs: number;
	/** The least pause between two looks at the job; unset: as it pays. */
	pollIntervalMs?: number;
	onTimeout: 'fail' | 'return';
	onUnsuccessful: 'fail' | 'return';
	onPaused: 'wait' | 'return';
	pauseWhenAbandoned: boolean;
	downloadFiles: boolean;
	/** The wait goes on in n8n's database after a while, and holds no process. */
	durableWait: boolean;
	parseJsonOutput: boolean;
}

const DEFAULT_MAX_PARALLEL_JOBS = 10;
const MINUTE_MS = 60_000;

export const waitUntilFinishedField: INodeProperties = {
	displayName: 'Wait Until Finished',
	name: 'waitUntilFinished',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait for the job and return its result, instead of returning as soon as it is started',
};

/** The options of every operation that waits, in the order of their names on the screen. */
export const waitOptionFields: INodeProperties[] = [
	{
		displayName: 'Download Files',
		name: 'downloadFiles',
		type: 'boolean',
		default: false,
		description:
			"Whether to attach the finished job's files to the item, as binary data file_0, file_1 and so on",
	},
	{
		displayName: 'Free the Worker While Waiting',
		name: 'durableWait',
		type: 'boolean',
		default: false,
		description:
			'Whether n8n itself keeps the wait after a minute at most, in its database: it holds no worker and survives restarts. The jobs are then looked at every minute or more.',
	},
	{
		displayName: 'Max Parallel Jobs',
		name: 'maxParallelJobs',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_MAX_PARALLEL_JOBS,
		description: 'With several input items: how many of their jobs may be unfinished at once',
	},
	{
		displayName: 'Max Wait Minutes',
		name: 'maxWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description:
			"How long to wait for one job. If not set: 60, or, when running an agent, the job's own maximum duration plus 5.",
	},
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
	{
		displayName: 'Parse JSON Output',
		name: 'parseJsonOutput',
		type: 'boolean',
		default: false,
		description:
			'Whether to turn an output that is JSON, bare or in a code fence, into an object. Other text stays text.',
	},
	{
		displayName: 'Pause When Abandoned',
		name: 'pauseWhenAbandoned',
		type: 'boolean',
		default: false,
		description:
			'Whether to pause the job when the wait for it ends early, so that it uses no more credits. The service fails a paused job after 6 hours.',
	},
	{
		displayName: 'Poll Interval Seconds',
		name: 'pollIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description:
			"The least time between two looks at a job. If not set: short at first, then longer, within the account's rate limit.",
	},
];

/**
 * Reads and checks the wait options. `defaultMaxWaitMinutes` is what an unset 'Max Wait Minutes'
 * means. Throws a `UserError` that names the field.
 */
export function readWaitOptions(
	context: ParameterContext,
	itemIndex: number,
	defaultMaxWaitMinutes: number,
): WaitOptions {
	const options = readCollection(context, 'options', itemIndex);
	// An option that is there without a value is an expression that gave none: not a default.
	const given = (name: string, unset: unknown) => (name in options ? options[name] : unset);

	return {
		maxWaitMs: toMaxWaitMs(given('maxWaitMinutes', defaultMaxWaitMinutes)),
		pollIntervalMs:
			'pollIntervalSeconds' in options ? toPollIntervalMs(options.pollIntervalSeconds) : undefined,
		onTimeout: toChoice(given('onTimeout', 'fail'), 'On Timeout', ['fail', 'return']),
		onUnsuccessful: toChoice(given('onUnsuccessful', 'fail'), 'On Unsuccessful', [
			'fail',
			'return',
		]),
		onPaused: toChoice(given('onPaused', 'wait'), 'On Paused', ['wait', 'return']),
		pauseWhenAbandoned: toBoolean(given('pauseWhenAbandoned', false), 'Pause When Abandoned'),
		downloadFiles: toBoolean(given('downloadFiles', false), 'Download Files'),
		durableWait: toBoolean(given('durableWait', false), 'Free the Worker While Waiting'),
		parseJsonOutput: toBoolean(given('parseJsonOutput', false), 'Parse JSON Output'),
	};
}

/** The wait options, or undefined when 'Wait Until Finished' is off. */
export function readWaiting(
	context: ParameterContext,
	itemIndex: number,
	defaultMaxWaitMinutes: number,
): WaitOptions | undefined {
	const value = context.getNodeParameter('waitUntilFinished', itemIndex, true);
	const waits = toBoolean(value, 'Wait Until Finished');
	return waits ? readWaitOptions(context, itemIndex, defaultMaxWaitMinutes) : undefined;
}

/** How many jobs may be unfinished at once. */
export function readMaxParallelJobs(context: ParameterContext, itemIndex: number): number {
	const options = readCollection(context, 'options', itemIndex);
	if (!('maxParallelJobs' in options)) return DEFAULT_MAX_PARALLEL_JOBS;
	return toWholeNumber(options.maxParallelJobs, 'Max Parallel Jobs', { min: 1 });
}

function toMaxWaitMs(value: unknown): number {
	const minutes = toNumber(value, 'Max Wait Minutes');
	if (minutes <= 0) {
		throw new UserError(`'Max Wait Minutes' has to be more than 0, and is ${minutes}`, {
			description: 'Enter a number of minutes, fractions allowed.',
		});
	}
	return minutes * MINUTE_MS;
}

function toPollIntervalMs(value: unknown): number {
	const seconds = toNumber(value, 'Poll Interval Seconds');
	if (seconds < 1) {
		throw new UserError(`'Poll Interval Seconds' has to be 1 or more, and is ${seconds}`, {
			description: 'Enter a number of seconds from 1, or remove the option.',
		});
	}
	return seconds * 1000;
}

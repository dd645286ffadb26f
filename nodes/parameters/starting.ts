import { UserError } from '../errors/UserError';
import {
	boolean,
	notInTools,
	readCollection,
	wholeNumber,
	type ParameterContext,
	type Values,
} from './field';
import { pausePolicyOption } from './pausePolicy';

/** The options of every operation that starts a job. */
export const START_OPTIONS = {
	maxAttempts: wholeNumber({
		displayName: 'Max Attempts',
		name: 'maxAttempts',
		type: 'number',
		default: 1,
		description:
			'Maximum number of jobs per item. When a job fails, a new one is started, which costs credits again.',
		builderHint: { propertyHint: "Can't be combined with suspendWhileWaiting." },
		displayOptions: { show: { '/waitUntilFinished': [true] } },
		bounds: { min: 1, max: 5 },
	}),
	minimumCredits: wholeNumber({
		displayName: 'Minimum Credits',
		name: 'minimumCredits',
		type: 'number',
		default: 0,
		description:
			'A job is started only if the account has at least this many credits. Running jobs continue.',
		bounds: { min: 0 },
	}),
	pauseJob: pausePolicyOption(
		'onStop',
		'When to pause the job, so that it uses no more credits. Unless resumed within 6 hours, the service marks it as failed.',
	),
	// The CDP URL is a secret that a language model must not see.
	returnCdpUrl: notInTools(
		boolean({
			displayName: 'Return CDP URL',
			name: 'returnCdpUrl',
			type: 'boolean',
			default: false,
			description:
				"Whether to return the address of the job's browser in cdp_url. Keep it secret: anyone who has it controls the browser.",
			builderHint: {
				propertyHint:
					'For the next task in the same browser: with browserConfig.keepBrowserOpen; the next node takes it as browserConfig.cdpUrl.',
			},
		}),
	),
};

/**
 * Reads the options of a start. `suspends`: whether the wait should be suspended. Throws a
 * `UserError` for an invalid option, and for several attempts with a suspended wait.
 */
export function readStartOptions(
	context: ParameterContext,
	itemIndex: number,
	suspends = false,
): Values<typeof START_OPTIONS> {
	const options = readCollection(context, itemIndex, 'options', START_OPTIONS);
	if (options.maxAttempts === 1 || !suspends) return options;
	throw new UserError("'Max Attempts' can't be combined with 'Suspend While Waiting'", {
		description:
			"Nothing was started. Set 'Max Attempts' to 1, or turn 'Suspend While Waiting' off.",
	});
}

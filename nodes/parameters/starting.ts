import { boolean, choice, notInTools, wholeNumber } from './field';

/** The options of every operation that starts a job. */
export const START_OPTIONS = {
	minimumCredits: wholeNumber({
		displayName: 'Minimum Credits',
		name: 'minimumCredits',
		type: 'number',
		default: 100,
		description:
			'Credits the account must have for a job to be started. Checked before the first job and before each further attempt.',
		bounds: { min: 0 },
	}),
	onStop: choice({
		displayName: 'On Stop',
		name: 'onStop',
		type: 'options',
		options: [
			{
				name: 'Leave Job Running',
				value: 'leave',
				description: 'The job continues and uses credits',
			},
			{
				name: 'Pause Job',
				value: 'pause',
				description: 'The job stops using credits and can be resumed within 6 hours',
			},
		],
		default: 'pause',
		description: 'What to do with the job when the execution is stopped',
	}),
	// It is a secret, which a model must not see.
	returnCdpUrl: notInTools(
		boolean({
			displayName: 'Return CDP URL',
			name: 'returnCdpUrl',
			type: 'boolean',
			default: false,
			description:
				"Whether to return the address of the job's browser in cdp_url, for the next task in the same browser (see Keep Browser Open). Keep it secret: anyone who has it controls the browser, and n8n stores it with the execution.",
		}),
	),
};

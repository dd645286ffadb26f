import { wholeNumber } from './field';

/** The floor of the account's credits below which nothing goes on. */
export const stopBelowCreditsField = wholeNumber(
	{
		displayName: 'Stop Below Credits',
		name: 'stopBelowCredits',
		type: 'number',
		default: 100,
		description:
			"Credits that are to remain in the account. While waiting, the balance is checked every 2 minutes. When it is lower, this node's running jobs are paused, no more are started, and the node fails.",
	},
	{ min: 1 },
);

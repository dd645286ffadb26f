import { wholeNumber } from './field';

/** The credits below which this node's jobs are paused. */
export const stopBelowCreditsField = wholeNumber(
	{
		displayName: 'Stop Below Credits',
		name: 'stopBelowCredits',
		type: 'number',
		default: 100,
		description:
			"Credits to keep in the account. While waiting, the balance is checked every 2 minutes. If it is lower, this node's running jobs are paused, no more are started, and the node fails.",
	},
	{ min: 1 },
);

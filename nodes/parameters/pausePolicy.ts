import type { PausePolicy } from '../jobs/Work';
import { choice, type Field } from './field';

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
			"When the execution is stopped, or the wait ends because of a timeout, a lasting error or another item's failure",
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
				"'onStop': only when someone stops the execution. 'onEarlyEnd': also at a timeout, a lasting error or another item's failure. A job that ends by itself is never paused.",
		},
	});
}

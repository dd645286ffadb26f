import type { PausePolicy } from '../jobs/LedgerEntry';
import { choice, type Field } from './field';

const CHOICES = [
	{ name: 'Never', value: 'never', description: 'The job keeps running and using credits' },
	{ name: 'On Stop', value: 'onStop', description: 'When the execution is stopped' },
	{
		name: 'When the Wait Ends Early',
		value: 'always',
		description:
			"When the execution is stopped, or the wait ends because of a timeout, a permanent error or another item's failure",
	},
] as const;

/**
 * Creates the option 'Pause Job'. `whenUnset`: what the operation does if the option is not set.
 */
export function pausePolicyOption(whenUnset: string): Field<PausePolicy> {
	return choice<PausePolicy>({
		displayName: 'Pause Job',
		name: 'pauseJob',
		type: 'options',
		options: [...CHOICES],
		default: 'always',
		description: `When to pause the job, so that it stops using credits. Unless it is resumed within 6 hours, the service marks it as failed. If not set: ${whenUnset}.`,
	});
}

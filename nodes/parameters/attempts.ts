import { UserError } from '../errors/UserError';
import { readCollection, wholeNumber, type ParameterContext } from './field';
import type { WaitParameters } from './waiting';

/** How many jobs an item may have, one after the other. */
export const ATTEMPTS_OPTION = {
	maxAttempts: wholeNumber({
		displayName: 'Max Attempts',
		name: 'maxAttempts',
		type: 'number',
		default: 1,
		description:
			'Maximum number of jobs to start for an item. If a job fails, a new one is started, which costs credits again.',
		bounds: { min: 1, max: 5 },
	}),
};

/** Throws a `UserError` for an invalid number, and if the wait is suspended: a round starts no jobs. */
export function readMaxAttempts(
	context: ParameterContext,
	item: number,
	{ suspends }: Pick<WaitParameters, 'suspends'>,
): number {
	const { maxAttempts = 1 } = readCollection(context, item, 'options', ATTEMPTS_OPTION);
	if (maxAttempts === 1 || !suspends) return maxAttempts;
	throw new UserError("'Max Attempts' is not possible together with 'Suspend While Waiting'", {
		description:
			"Nothing was started. Set 'Max Attempts' to 1, or turn 'Suspend While Waiting' off.",
	});
}

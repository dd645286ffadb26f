import { ServiceError } from '../../errors/ServiceError';
import { UserError } from '../../errors/UserError';
import { tooFewCreditsError } from '../../jobs/CreditMonitor';
import { toOutcome } from '../operations/finishJob';
import type { ItemResult, Run, RunningItem } from '../types';
import { restoreLedger } from './restoreLedger';
import type { SuspendedState } from './state';
import { toJobWait } from './storedResults';

const MAX_CONCURRENT = 5;

/** The items of a suspended run whose waits are over, with all their jobs in the ledger. */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ItemResult>> {
	const { contextOf } = await restoreLedger(run, state);
	return state.results.flatMap(({ itemIndex, outcome }): Array<RunningItem | ItemResult> => {
		if ('failed' in outcome) {
			const { message, details } = outcome.failed;
			return [{ itemIndex, outcome: { error: new UserError(message, details) } }];
		}
		if (!('wait' in outcome)) return [{ itemIndex, outcome }];
		const { wait } = outcome;
		// What is still waited for is given up, since another item has failed.
		const { end } = wait;
		if (end === undefined) return [];
		const context = contextOf(wait.jobId);
		const { threshold = 0, tooFew = 0 } = state.credits ?? {};
		const lastError = wait.error && new ServiceError(wait.error);
		const isLow = end.reason === 'lowCredits';
		const error = isLow ? tooFewCreditsError(tooFew, threshold) : lastError;
		const jobWait = toJobWait(wait, context.entry.facts.started?.startedAt, run.clock);
		const finish = async () => [await toOutcome(context, jobWait, wait.options, { ...end, error })];
		return [{ itemIndex, context, maxParallel: MAX_CONCURRENT, run: finish }];
	});
}

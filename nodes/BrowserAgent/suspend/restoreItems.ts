import type { IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError, UserError } from '../../errors/UserError';
import type { JobContext } from '../../jobs/JobContext';
import { LedgerEntry } from '../../jobs/LedgerEntry';
import { withJobFacts } from '../../jobs/previousJobs';
import { createContext } from '../createContext';
import { finishJob } from '../operations/finishJob';
import type { ItemResult, Run, RunningItem, StoredResult } from '../types';
import { confirmInnerExecution } from './innerExecution';
import { limitWaits, readParent } from './parentExecution';
import { jobIdsIn, type SuspendedJson, type SuspendedState } from './state';
import type { SuspendStep } from './subWorkflow';
import { MAX_ROUND_MS } from './timing';

/** Which step of a suspended wait this is, and what it is passed; undefined in a user's own workflow. */
export function readResumedStep(context: IExecuteFunctions) {
	const step = context.getNodeParameter('suspendStep', 0, '') as SuspendStep | '';
	const { state } = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	return step !== '' && state !== undefined ? { step, state } : undefined;
}

/** The items of a suspended run for a round of polls. Throws if the suspended execution is over. */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ItemResult>> {
	const contexts = await restoreContexts(run, state);
	const jobIds = jobIdsIn(state);
	if (jobIds.length > 0) {
		const { isGone, startDate } = await readParent(run, state);
		if (isGone) throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
		if (startDate !== undefined) limitWaits(state, startDate);
	}
	return state.results.map((result, index) => restoreItem(run, result, contexts[index]));
}

function restoreItem(
	run: Run,
	{ itemIndex, outcome }: StoredResult,
	context: JobContext | UserError | undefined,
): RunningItem | ItemResult {
	const entry = context instanceof UserError ? undefined : context?.entry;
	if ('failed' in outcome) {
		const { message, details } = outcome.failed;
		return { itemIndex, outcome: { error: new UserError(message, details) }, entry };
	}
	if (!('suspended' in outcome) || context === undefined) return { itemIndex, outcome, entry };
	const { wait, options } = outcome.suspended;
	if (context instanceof UserError) {
		const isOver = run.clock.now() >= wait.deadline;
		return { itemIndex, outcome: isOver ? { error: context } : outcome };
	}
	const finish = async () => await finishJob(context, wait, options);
	return { itemIndex, context, maxParallel: Infinity, waits: true, run: finish };
}

/**
 * What each item's job needs: an error without a credential, undefined without a job. Items that have ended
 * are among them, since a Stop may pause their jobs.
 */
async function restoreContexts(
	run: Run,
	state: SuspendedState,
): Promise<Array<JobContext | UserError | undefined>> {
	const { clock, ledger, logger } = run;
	const roundSignal = clock.timeout(MAX_ROUND_MS);
	try {
		const client = await run.clients.clientFor(0);
		confirmInnerExecution(run, state, client);
		return state.results.map(({ entry: stored }, index) => {
			if (stored === undefined) return undefined;
			const entry = ledger.entry(String(index), stored.facts);
			return createContext(run, entry, client, {
				policy: stored.policy,
				waits: true,
				suspendSignal: roundSignal,
			});
		});
	} catch (error) {
		logger.warn(`Browser Agent could not check jobs without its credential: ${messageOf(error)}`);
		return state.results.map(({ entry }) => {
			if (entry === undefined) return undefined;
			const { facts } = entry;
			return withJobFacts(
				toUserError(error, { jobId: facts.jobId }),
				new LedgerEntry(clock, facts),
			);
		});
	}
}

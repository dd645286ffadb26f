import type { IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError, UserError } from '../../errors/UserError';
import { CreditMonitor } from '../../jobs/CreditMonitor';
import type { JobContext } from '../../jobs/JobContext';
import { LedgerEntry } from '../../jobs/LedgerEntry';
import { withJobFacts } from '../../jobs/previousJobs';
import { createContext } from '../createContext';
import { finishJob } from '../operations/finishJob';
import type { ItemResult, Run, RunningItem } from '../types';
import { limitWaits, readParent } from './parentExecution';
import { waitsIn, type SuspendedJson, type SuspendedState } from './state';
import type { ResumeStep } from './subWorkflow';

// A round occupies a worker, so that its polls have a minute to get their permits.
const MAX_ROUND_MS = 60_000;

/** Which step of a suspended wait this is, and what it is passed; undefined in a user's own workflow. */
export function readResumedStep(context: IExecuteFunctions) {
	const step = context.getNodeParameter('durableStep', 0, '') as ResumeStep | '';
	const { state } = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	return step !== '' && state !== undefined ? { step, state } : undefined;
}

/** The items of a suspended run for a round of polls. Throws if the suspended execution is over. */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ItemResult>> {
	const contextOf = await restoreContexts(run, state);
	const waits = waitsIn(state);
	if (waits.length > 0) {
		const { isGone, startDate } = await readParent(run, state);
		if (isGone) {
			const jobIds = waits.map(({ wait }) => wait.jobId);
			throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
		}
		if (startDate !== undefined) limitWaits(state, startDate);
	}
	return state.results.map(({ itemIndex, outcome }): RunningItem | ItemResult => {
		if ('failed' in outcome) {
			const { message, details } = outcome.failed;
			return { itemIndex, outcome: { error: new UserError(message, details) } };
		}
		if (!('suspended' in outcome)) return { itemIndex, outcome };
		const { wait, options } = outcome.suspended;
		const context = contextOf(wait.jobId);
		if (context instanceof UserError) {
			const isOver = run.clock.now() >= wait.deadline;
			return { itemIndex, outcome: isOver ? { error: context } : outcome };
		}
		const finish = async () => await finishJob(context, wait, options);
		return { itemIndex, context, maxParallel: Infinity, run: finish };
	});
}

/** Enters all jobs, also of items that have ended: a Stop may pause them. Without a credential, each is an error. */
async function restoreContexts(
	run: Run,
	state: SuspendedState,
): Promise<(jobId: string) => JobContext | UserError> {
	const { clock, ledger, logger } = run;
	const roundSignal = clock.timeout(MAX_ROUND_MS);
	try {
		const client = await run.clients.clientFor(0);
		client.redactor.addStored(state.secretHashes);
		const { limits, lastReadAt } = state.credits ?? {};
		const credits = new CreditMonitor(run, client, limits, lastReadAt);
		const contexts = Object.entries(state.entries).map(([jobId, { facts, policy }]) => {
			const entry = ledger.entry(jobId, facts);
			return [jobId, createContext(run, entry, credits, policy, roundSignal)] as const;
		});
		const contextOf = new Map(contexts);
		return (jobId) => contextOf.get(jobId) as JobContext;
	} catch (error) {
		logger.warn(`Browser Agent could not check jobs without its credential: ${messageOf(error)}`);
		return (jobId) => {
			const entry = new LedgerEntry(clock, state.entries[jobId]?.facts);
			return withJobFacts(toUserError(error, { jobId }), entry);
		};
	}
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { stoppedError, UserError } from '../../errors/UserError';
import { CreditMonitor } from '../../jobs/CreditMonitor';
import type { JobContext } from '../../jobs/JobContext';
import { createContext } from '../createContext';
import { finishJob } from '../operations/finishJob';
import type { ItemResult, Run, RunningItem } from '../types';
import type { SuspendedJson, SuspendedState } from './state';
import { toEntryFacts, toJobWait, toTime } from './storedState';
import type { ResumeStep } from './subWorkflow';
import { waitsIn } from './suspendedJson';

// A round occupies a worker, so that its polls have a minute to get their permits.
const MAX_ROUND_MS = 60_000;

/** A step of a suspended wait, and what the sub-workflow has passed to it. */
interface ResumedStep {
	step: ResumeStep;
	state: SuspendedState;
}

/** Which step of a suspended wait this node is; undefined in a user's own workflow. */
export function readResumedStep(context: IExecuteFunctions): ResumedStep | undefined {
	const step = context.getNodeParameter('durableStep', 0, '');
	const { state } = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	const isStep = step === 'poll' || step === 'finish';
	return isStep && state !== undefined ? { step, state } : undefined;
}

/**
 * The items of a suspended run for one round, in which each wait has one poll, with all their jobs in the
 * ledger. Throws if the suspended execution is over: n8n does not stop the sub-workflow with it.
 */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ItemResult>> {
	const { clock, ledger } = run;
	const client = await run.clients.clientFor(0);
	const { threshold, lastReadDate = 0 } = state.credits ?? {};
	const credits = new CreditMonitor(run, client, { threshold }, toTime(lastReadDate, clock));
	const roundSignal = clock.timeout(MAX_ROUND_MS);
	// Those of finished items, too: a Stop may have to pause them.
	const contexts = Object.entries(state.entries).map(([jobId, { facts, policy }]) => {
		const entry = ledger.entry(jobId, toEntryFacts(facts, clock));
		client.hideUrl(facts.started?.cdp_url, jobId);
		return [jobId, createContext(run, entry, credits, policy, roundSignal)] as const;
	});
	const contextOf = new Map(contexts);
	const jobIds = waitsIn(state).map(({ jobId }) => jobId);
	if (jobIds.length > 0 && (await isParentGone(run, state))) {
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	return state.results.map(({ itemIndex, outcome }): RunningItem | ItemResult => {
		if ('failed' in outcome) {
			const { message, details } = outcome.failed;
			return { itemIndex, outcome: { error: new UserError(message, details) } };
		}
		if (!('wait' in outcome)) return { itemIndex, outcome };
		const { jobId, options } = outcome.wait;
		const context = contextOf.get(jobId) as JobContext;
		const { started } = context.entry.facts;
		const wait = toJobWait(outcome.wait, started?.startedAt, clock);
		const finish = async () => await finishJob(context, wait, options);
		return { itemIndex, context, maxParallel: Infinity, run: finish };
	});
}

/** Whether the suspended execution has ended: it was stopped or deleted. */
async function isParentGone(
	{ context, logger }: Run,
	{ parentExecutionId }: SuspendedState,
): Promise<boolean> {
	try {
		const parent = await context.getExecutionDataById(parentExecutionId);
		return parent === undefined || parent.resultData.error !== undefined;
	} catch (error) {
		// While n8n's database does not answer, nothing is known.
		logger.warn(
			`Browser Agent could not check execution ${parentExecutionId}: ${messageOf(error)}`,
		);
		return false;
	}
}

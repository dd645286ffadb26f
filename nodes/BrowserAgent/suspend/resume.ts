import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency } from '../../async/limitConcurrency';
import { messageOf, ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError, UserError } from '../../errors/UserError';
import { CreditMonitor, tooFewCreditsError } from '../../jobs/CreditMonitor';
import type { JobContext } from '../../jobs/JobContext';
import { isFinished } from '../../jobs/status';
import { endsWait, isTransient } from '../../jobs/waitForJob';
import { isFailure, pauseAbandoned } from '../../jobs/waitOutcome';
import { connectEntry, createContext } from '../connectItems';
import { toOutcome } from '../operations/finishJob';
import type { ItemResult, Run, RunningItem } from '../types';
import {
	openWaits,
	toDate,
	toEntryFacts,
	toJobWait,
	toStoredEntries,
	toStoredJob,
	toSuspendedJson,
	toTime,
	type StoredWait,
	type SuspendedJson,
	type SuspendedState,
} from './state';
import type { ResumeStep } from './subWorkflow';

const MAX_CONCURRENT = 5;
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
 * One round: a poll for each job that is still waited for. The waits are over when none is left, or when
 * an item has failed without Continue On Fail. n8n does not stop the sub-workflow when the
 * suspended execution is stopped or deleted, so that this is found out here.
 */
export async function pollSuspended(
	run: Run,
	state: SuspendedState,
): Promise<INodeExecutionData[]> {
	const { clock, ledger } = run;
	const { credits, contextOf } = await restoreLedger(run, state);
	const open = openWaits(state);
	if (await isParentGone(run, state)) {
		const jobIds = open.map(({ jobId }) => jobId);
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	// Those first that got no permit in the last round.
	open.sort((one, other) => Number(gotNoPermit(other)) - Number(gotNoPermit(one)));
	const deadline = clock.now() + MAX_ROUND_MS;
	await limitConcurrency(open, MAX_CONCURRENT, async (wait) => {
		const context = contextOf(wait.jobId);
		await pollOnce(context, wait, deadline);
		// Before the last step: until then, other jobs may run for hours.
		const { reason } = wait.end ?? {};
		if (reason === 'deadline' || reason === 'error') await pauseAbandoned(context);
	});
	await checkCredits(run, state, credits);
	state.entries = toStoredEntries(ledger, state.results, clock);
	const hasFailed = open.some(({ end, options }) => end && isFailure(end, options.wait));
	const isDone = openWaits(state).length === 0 || (hasFailed && !state.continueOnFail);
	const json = toSuspendedJson(state, clock.date(), isDone) as unknown as IDataObject;
	return [{ json, pairedItem: { item: 0 } }];
}

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
		if (wait.end === undefined) return [];
		const context = contextOf(wait.jobId);
		const result = { ...wait.end, error: errorOf(wait, state) };
		const jobWait = toJobWait(wait, context.entry.facts.started?.startedAt, run.clock);
		const finish = async () => [await toOutcome(context, jobWait, wait.options, result)];
		return [{ itemIndex, context, maxParallel: MAX_CONCURRENT, run: finish }];
	});
}

/** Enters all jobs of a suspended run, those of finished items, too: a Stop may have to pause them. */
async function restoreLedger(run: Run, state: SuspendedState) {
	const { clock, ledger } = run;
	const client = await run.clients.clientFor(0);
	const { threshold, lastReadDate, tooFew } = state.credits ?? {};
	const lastReadAt = lastReadDate === undefined ? undefined : toTime(lastReadDate, clock);
	const credits = new CreditMonitor(run, client, { threshold }, lastReadAt);
	if (tooFew !== undefined) ledger.lowAccounts.add(client.account);
	const contexts = new Map<string, JobContext>();
	for (const [jobId, stored] of Object.entries(state.entries)) {
		const entry = ledger.entry(jobId, toEntryFacts(stored, clock));
		connectEntry(run, entry, client, stored.policy);
		client.hideUrl(entry.facts.started?.cdp_url, jobId);
		contexts.set(jobId, createContext(run, entry, credits));
	}
	const contextOf = (jobId: string) => contexts.get(jobId) as JobContext;
	return { credits, contextOf };
}

async function pollOnce(
	{ client, clock, entry, execution, logger, signal }: JobContext,
	wait: StoredWait,
	roundEnd: number,
): Promise<void> {
	const { jobId, deadlineDate, options } = wait;
	const isLate = clock.date() >= deadlineDate;
	try {
		const call = { execution, isBackground: true, signal, deadline: roundEnd };
		const job = await client.getJob(jobId, call);
		entry.recordSeen(job);
		wait.error = undefined;
		const reason = endsWait(job, options.wait) ? 'status' : isLate ? 'deadline' : undefined;
		if (reason === undefined) return;
		// Only this client knows the address of the job's browser; the message is made by another one.
		const error = typeof job.error === 'string' ? client.redact(job.error) : job.error;
		const isShown = isFinished(job) && !isFailure({ reason: 'status', job }, options.wait);
		wait.end = { reason, job: toStoredJob(isShown ? job : { ...job, error }, options) };
	} catch (error) {
		const known = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		logger.warn(`Browser Agent: ${toUserError(known, { jobId }).message}`);
		wait.error = known.facts;
		const isLasting = !isTransient(known, jobId, client);
		if (!isLasting && !isLate) return;
		wait.end = { reason: isLasting ? 'error' : 'deadline', job: entry.facts.job };
	}
}

/** Ends the open waits if the account has too few credits. */
async function checkCredits(
	{ clock }: Run,
	state: SuspendedState,
	monitor: CreditMonitor,
): Promise<void> {
	const { credits, entries } = state;
	const open = openWaits(state);
	if (credits === undefined || open.length === 0) return;
	const balance = await monitor.read();
	credits.lastReadDate = toDate(monitor.lastReadAt, clock);
	if (!monitor.lowSignal.aborted) return;
	credits.tooFew = balance;
	for (const wait of open) {
		wait.end = { reason: 'lowCredits', job: entries[wait.jobId]?.facts.job };
	}
}

function gotNoPermit({ error }: StoredWait): boolean {
	return error?.kind === 'queueTimeout';
}

function errorOf({ end, error }: StoredWait, { credits }: SuspendedState): Error | undefined {
	if (end?.reason !== 'lowCredits') return error && new ServiceError(error);
	return tooFewCreditsError(credits?.tooFew ?? 0, credits?.threshold ?? 0);
}

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

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency } from '../../async/limitConcurrency';
import { messageOf, ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError, UserError } from '../../errors/UserError';
import { isFinished } from '../../jobs/status';
import { endsWait, isTransient } from '../../jobs/waitForJob';
import { tooFewCredits } from '../../jobs/SpendGuard';
import { isFailure, pauseIfWanted } from '../../jobs/waitOutcome';
import type { ServiceClient } from '../../service/ServiceClient';
import { createItemRun, type ReadyItem } from '../connectItems';
import { toResult } from '../operations/finishJob';
import type { ItemRun, Run } from '../run';
import { runItems } from '../runItems';
import { toOutput } from '../toOutput';
import { guardRound } from './guardRound';
import {
	allWaits,
	openWaits,
	toStoredJob,
	toSuspendedJson,
	toTimes,
	type StoredGuard,
	type StoredWait,
	type SuspendedJson,
	type SuspendedState,
} from './state';
import type { ResumeStep } from './subWorkflow';

const MAX_CONCURRENT = 5;
// A round occupies a worker, so that its polls have a minute to get their turn.
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

/** Runs a step of a suspended wait, in the sub-workflow that holds it. */
export async function resume(
	run: Run,
	{ step, state }: ResumedStep,
): Promise<INodeExecutionData[]> {
	const client = await run.connector.clientFor(0);
	if (state.guard?.credits !== undefined) run.ledger.lowAccounts.add(client.account);
	if (step === 'finish') return await finish(run, client, state);
	const json = (await poll(run, client, state)) as unknown as IDataObject;
	return [{ json, pairedItem: { item: 0 } }];
}

function toItemRun(run: Run, client: ServiceClient, wait: StoredWait): ItemRun {
	const { jobId, policy, links, job, reason, isPaused } = wait;
	const { startedAt } = toTimes(wait, run.clock);
	const entry = run.ledger.entry(jobId);
	client.hideUrl(links.cdp_url, jobId);
	// Nothing is paused that has ended, and nothing twice.
	if (reason === 'status') entry.state = 'finished';
	if (isPaused === true) Object.assign(entry, { state: 'paused', pausing: Promise.resolve(true) });
	entry.watch(jobId);
	if (startedAt !== undefined) entry.started = { job_id: jobId, ...links, body: {}, startedAt };
	Object.assign(entry, { policy, job });
	return createItemRun(run, client, entry);
}

/**
 * One round: a poll for each job that is still waited for. The wait is over when none is left, or when
 * an item has failed without Continue On Fail. n8n does not stop the sub-workflow when the
 * suspended execution is stopped or deleted, so that this is found out here.
 */
async function poll(
	run: Run,
	client: ServiceClient,
	state: SuspendedState,
): Promise<SuspendedJson> {
	// Also those that are over: after a Stop, their jobs are to be paused, too.
	const all = allWaits(state).map((wait) => ({ wait, item: toItemRun(run, client, wait) }));
	const open = all.filter(({ wait }) => wait.reason === undefined);
	// Those first that had no turn in the last round.
	open.sort((one, other) => Number(hadNoTurn(other.wait)) - Number(hadNoTurn(one.wait)));
	if (await isParentGone(run, state)) {
		const jobIds = open.map(({ wait }) => wait.jobId);
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	const deadline = run.clock.now() + MAX_ROUND_MS;
	await limitConcurrency(open, MAX_CONCURRENT, async ({ item, wait }) => {
		await pollOnce(item, wait, deadline);
		await pauseIfOver(item, wait);
	});
	await guardRound(run, client, state);
	const hasFailed = open.some(
		({ wait: { reason, job, options } }) =>
			reason !== undefined && isFailure({ reason, job }, options.wait),
	);
	const isDone = openWaits(state).length === 0 || (hasFailed && !state.continueOnFail);
	return toSuspendedJson(state, run.clock.date(), isDone);
}

async function pollOnce(item: ItemRun, wait: StoredWait, roundEnd: number): Promise<void> {
	const { client, clock, execution, signal, logger } = item;
	const { jobId, options } = wait;
	const isLate = clock.now() >= toTimes(wait, clock).deadline;
	try {
		const call = { execution, isBackground: true, signal, deadline: roundEnd };
		const job = await client.getJob(jobId, call);
		// Only this client knows the address of the job's browser; the message is made by another one.
		const error = typeof job.error === 'string' ? client.redact(job.error) : job.error;
		const isShown = isFinished(job) && !isFailure({ reason: 'status', job }, options.wait);
		wait.job = toStoredJob(isShown ? job : { ...job, error }, options);
		wait.error = undefined;
		if (endsWait(job, options.wait)) wait.reason = 'status';
	} catch (error) {
		const known = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		logger.warn(`Browser Agent: ${toUserError(known, { jobId }).message}`);
		wait.error = known.facts;
		if (!isTransient(known, jobId, client)) wait.reason = 'error';
	}
	if (isLate) wait.reason ??= 'deadline';
}

// Not only in the last step: until then, other jobs may run for hours.
async function pauseIfOver(item: ItemRun, wait: StoredWait): Promise<void> {
	if (wait.reason !== 'deadline' && wait.reason !== 'error') return;
	await pauseIfWanted(item, wait.job);
	wait.isPaused = item.entry.state === 'paused';
}

function hadNoTurn({ error }: StoredWait): boolean {
	return error?.kind === 'queueTimeout';
}

/** The output, as if the node had waited itself. */
async function finish(
	run: Run,
	client: ServiceClient,
	{ results, guard }: SuspendedState,
): Promise<INodeExecutionData[]> {
	// All are entered before one fails: the others' jobs may have to be paused.
	const items = results.flatMap((stored): ReadyItem[] => {
		const { itemIndex } = stored;
		if ('output' in stored) return [{ itemIndex, result: stored.output }];
		if ('wait' in stored) return toEndedWait(toItemRun(run, client, stored.wait), stored, guard);
		const { message, details } = stored.error;
		return [{ itemIndex, result: { error: new UserError(message, details) } }];
	});
	return toOutput(run, await runItems(run, items));
}

function toEndedWait(
	item: ItemRun,
	{ itemIndex, wait }: { itemIndex: number; wait: StoredWait },
	{ credits = 0, floor = 0 }: Partial<StoredGuard> = {},
): ReadyItem[] {
	const { reason, job, options } = wait;
	// What is still waited for is given up, since another item has failed.
	if (reason === undefined) return [];
	const lastError = wait.error && new ServiceError(wait.error);
	const error = reason === 'lowCredits' ? tooFewCredits(credits, floor) : lastError;
	const times = toTimes(wait, item.clock);
	const run = async () => [await toResult({ item, times, options }, { reason, job, error })];
	return [{ itemIndex, item, prepared: { maxParallel: MAX_CONCURRENT, run } }];
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

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency } from '../../async/limitConcurrency';
import { messageOf, ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError, UserError } from '../../errors/UserError';
import { isFinished } from '../../jobs/status';
import { endsWait, isTransient } from '../../jobs/waitForJob';
import { tooFewCredits } from '../../jobs/SpendGuard';
import { isFailure, pauseIfWanted } from '../../jobs/waitOutcome';
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
	type StoredResult,
	type StoredWait,
	type SuspendedJson,
	type SuspendedState,
} from './state';
import type { ResumeStep } from './subWorkflow';

type CreateItem = (key: string) => ItemRun;

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
	const createItem = (key: string) => createItemRun(run, client, run.ledger.entry(key));
	if (state.guard?.credits !== undefined) run.ledger.lowAccounts.add(client.account);
	if (step === 'finish') return await finish(run, state, createItem);
	const json = (await poll(run, state, createItem)) as unknown as IDataObject;
	return [{ json, pairedItem: { item: 0 } }];
}

function toItemRun(wait: StoredWait, createItem: CreateItem): ItemRun {
	const { jobId, policy, links, job, reason, isPaused } = wait;
	const item = createItem(jobId);
	const { startedAt } = toTimes(wait, item.clock);
	item.client.hideUrl(links.cdp_url, jobId);
	// Nothing is paused that has ended, and nothing twice.
	if (reason === 'status') item.entry.state = 'finished';
	if (isPaused === true) {
		Object.assign(item.entry, { state: 'paused', pausing: Promise.resolve(true) });
	}
	item.entry.watch(jobId);
	item.entry.policy = policy;
	item.entry.job = job;
	if (startedAt !== undefined)
		item.entry.started = { job_id: jobId, ...links, body: {}, startedAt };
	return item;
}

/**
 * One round: a poll for each job that is still waited for. The wait is over when none is left, or when
 * an item has failed without Continue On Fail. n8n does not stop the sub-workflow when the
 * suspended execution is stopped or deleted, so that this is found out here.
 */
async function poll(
	run: Run,
	state: SuspendedState,
	createItem: CreateItem,
): Promise<SuspendedJson> {
	// Also those that are over: after a Stop, their jobs are to be paused, too.
	const all = allWaits(state).map((wait) => ({ wait, item: toItemRun(wait, createItem) }));
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
	const [first] = open;
	if (first !== undefined) await guardRound(first.item, state);
	const hasFailed = open.some(
		({ wait: { reason, job, options } }) =>
			reason !== undefined && isFailure({ reason, job }, options.wait),
	);
	const isDone = openWaits(state).length === 0 || (hasFailed && !state.continueOnFail);
	return toSuspendedJson(state, run.clock.date(), isDone);
}

async function pollOnce(item: ItemRun, wait: StoredWait, roundEnd: number): Promise<void> {
	const { client, clock, signal, logger } = item;
	const { jobId, options } = wait;
	const isLate = clock.now() >= toTimes(wait, clock).deadline;
	try {
		const job = await client.getJob(jobId, { signal, deadline: roundEnd, isPoll: true });
		// Only this client knows the address of the job's browser; the message is made by another one.
		const error = typeof job.error === 'string' ? client.redact(job.error) : job.error;
		const isShown = isFinished(job) && !isFailure({ reason: 'status', job }, options.wait);
		wait.job = toStoredJob(isShown ? job : { ...job, error }, options);
		wait.error = undefined;
		const isOver = endsWait(job, options.wait);
		if (isOver || isLate) wait.reason = isOver ? 'status' : 'deadline';
	} catch (error) {
		const known = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		logger.warn(`Browser Agent: ${toUserError(known, { jobId }).message}`);
		wait.error = known.facts;
		const isOver = !isTransient(known, jobId, client);
		if (isOver || isLate) wait.reason = isOver ? 'error' : 'deadline';
	}
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
	{ results, guard }: SuspendedState,
	createItem: CreateItem,
): Promise<INodeExecutionData[]> {
	// All are entered before one fails: the others' jobs may have to be paused.
	const items = results.map((stored): ReadyItem => toReadyItem(stored, guard, createItem));
	return toOutput(run, await runItems(run, items));
}

function toReadyItem(
	stored: StoredResult,
	guard: StoredGuard | undefined,
	createItem: CreateItem,
): ReadyItem {
	const { itemIndex } = stored;
	if ('error' in stored) {
		const { message, details } = stored.error;
		return { itemIndex, result: { error: new UserError(message, details) } };
	}
	if ('output' in stored) return { itemIndex, result: stored.output };
	const { wait } = stored;
	const item = toItemRun(wait, createItem);
	const { reason, job, error, options } = wait;
	const run = async () => {
		// What is still waited for is given up, since another item has failed.
		if (reason === undefined) return [];
		const known = error && new ServiceError(error);
		const { credits = 0, floor = 0 } = guard ?? {};
		const isLow = reason === 'lowCredits';
		const result = { reason, job, error: isLow ? tooFewCredits(credits, floor) : known };
		return [await toResult({ item, times: toTimes(wait, item.clock), options }, result)];
	};
	return { itemIndex, item, prepared: { maxParallel: MAX_CONCURRENT, run } };
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

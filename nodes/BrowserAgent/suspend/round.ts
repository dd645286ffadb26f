import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { stoppedError } from '../../errors/NodeFailure';
import { createSafeLogger } from '../../errors/safeLogger';
import { messageOf } from '../../errors/ServiceError';
import { toNodeError } from '../../errors/toNodeError';
import { idsIn } from '../../jobs/TrackedJob';
import type { Work } from '../../jobs/Work';
import type { Runtime } from '../../runtime';
import type { ServiceClient } from '../../service/ServiceClient';
import { closeItems } from '../connectItems';
import { failRun } from '../failRun';
import { createRun, isOpen, jobsIn, originOf, type Item, type Result, type Run } from '../Run';
import { runItems } from '../runItems';
import { waitForResult } from '../runJob';
import { linkHint, toOutput } from '../toOutput';
import { capDeadlines, secondsToNextRound, suspendAgain, toRoundPlan } from './schedule';
import {
	logUnexpectedErrors,
	readState,
	suspendedItems,
	toNextState,
	toResults,
	toSuspendedJson,
	type StoredItem,
	type SuspendedJson,
	type SuspendedState,
} from './state';
import { stopWatching, watchInnerExecution } from './watch';

/**
 * Runs a round of status checks for a suspended run: restores its items, and polls their unfinished
 * jobs, each once if it has its turn in time, and until its deadline if that is near. Returns an
 * item for the next round or, if all waits are over, the output of the suspended node. Throws only
 * n8n's node errors.
 */
export async function runRound(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[]> {
	const state = readRoundState(context);
	const run = createRun(context, runtime, state);
	stopWatching(runtime, run.executionId);
	let isFailure = true;
	try {
		await restoreItems(run, state);
		await runItems(run);
		const output = suspendedItems(run).length === 0 ? toOutput(run) : toNextRound(run, state);
		isFailure = false;
		return output;
	} catch (error) {
		throw await failRun(run, error);
	} finally {
		run.lifetime.end();
		closeItems(run, isFailure);
	}
}

function readRoundState(context: IExecuteFunctions): SuspendedState {
	try {
		return readState((context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>);
	} catch (error) {
		const redact = (text: string) => text;
		const logger = createSafeLogger(context.logger, redact, originOf(context));
		throw toNodeError(error, { node: context.getNode(), redact, logger });
	}
}

/**
 * Restores the items of a suspended run, with what is remembered of their jobs since an earlier
 * try of the round. Their waits end before the workflow's timeout. Stops the run and throws if the
 * suspended execution has ended or was deleted.
 */
async function restoreItems(run: Run, stored: SuspendedState): Promise<void> {
	const { hasEnded, startedAt } = await checkSuspendedExecution(run, stored);
	const state = startedAt === undefined ? stored : capDeadlines(stored, startedAt);
	run.runtime.memory.forgetExpired();
	run.items = state.items.map((item, position) => restoreItem(run, item, { state, position }));

	const client = await loadClient(run);
	client.redactor.addBrowsers(state.browsers);
	for (const item of run.items) item.client = client;
	const open = run.items.filter(isOpen);
	run.suspension = suspendAgain(run, open.length);
	if (!hasEnded) return;
	run.lifetime.stop();
	const jobIds = idsIn(jobsIn(run));
	throw stoppedError(`the node stopped waiting for job ${[...new Set(jobIds)].join(', ')}`);
}

/**
 * Checks whether n8n has stored an error of the suspended execution, as after a Stop or a crash, or
 * has deleted it and, if n8n knows, when it began, as a timestamp in ms. Never rejects: without an
 * answer from n8n's database, the execution counts as still suspended.
 */
async function checkSuspendedExecution(
	{ context, logger }: Run,
	{ executionId }: SuspendedState,
): Promise<{ hasEnded: boolean; startedAt?: number }> {
	try {
		const suspended = await context.getExecutionDataById(executionId);
		if (suspended === undefined) return { hasEnded: true };
		const { error, runData } = suspended.resultData;
		const startTimes = Object.values(runData).flatMap((runs) =>
			runs.map(({ startTime }) => startTime),
		);
		const startedAt = startTimes.length > 0 ? Math.min(...startTimes) : undefined;
		return { hasEnded: error !== undefined, startedAt };
	} catch (error) {
		logger.warn(`Browser Agent could not check execution ${executionId}: ${messageOf(error)}`);
		return { hasEnded: false };
	}
}

/**
 * Returns the client of all items. If the credential can't be loaded, its calls load it again, and
 * fail until then as if the service could not be reached: the waits go on until their deadlines,
 * and a pause is tried again.
 */
async function loadClient({ clients, logger }: Run): Promise<ServiceClient> {
	try {
		return await clients.clientFor(0);
	} catch (error) {
		logger.warn(
			`Browser Agent could not load its credential, and will try again for each call: ${messageOf(error)}`,
		);
		return clients.unloadedClient(0);
	}
}

function restoreItem(
	run: Run,
	{ index, job, pauseJob = 'never', options: optionsAt, wait, extraFields, results }: StoredItem,
	{ state, position }: { state: SuspendedState; position: number },
): Item {
	const options = state.options[optionsAt ?? -1];
	const entry = job && run.runtime.memory.open(`${run.memoryScope} ${position}`, run, job);
	const execute = async (work: Work): Promise<Result[]> => {
		if (wait === undefined || options === undefined) return [];
		return [await waitForResult(work, { wait, options, extraFields })];
	};
	// Even an item with results has a task: after a Stop, its job may have to be paused.
	const task = { maxParallel: Infinity, job: { pauseJob, options }, execute };
	return { index, task, entry, results: results && toResults(results) };
}

/** Returns the item for the next round. Shows a hint with links if there is only one job. */
function toNextRound(run: Run, before: SuspendedState): INodeExecutionData[] {
	const { context, executionId } = run;
	const hint = linkHint(run);
	if (hint !== undefined) run.showHint(hint);

	const state = toNextState(run, before);
	const seconds = secondsToNextRound(toRoundPlan(run, state, false));
	const json = toSuspendedJson(run, state, seconds);
	const rounds = Number(context.evaluateExpression('{{ $runIndex }}', 0)) + 1;
	logUnexpectedErrors(run);
	watchInnerExecution(run, executionId, rounds);
	return [{ json: json as unknown as IDataObject, pairedItem: { item: 0 } }];
}

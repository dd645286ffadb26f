import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { giveWay } from '../async/giveWay';
import { limitConcurrency } from '../async/limitConcurrency';
import type { NodeFailure } from '../errors/NodeFailure';
import { toNodeFailure } from '../errors/toNodeFailure';
import type { MemoryEntry } from '../jobs/JobMemory';
import type { JobTask } from '../jobs/JobTask';
import { mayRunOrStart } from '../jobs/pause';
import { notStartedAgainError } from '../jobs/startOnce';
import { isSuccessful } from '../jobs/status';
import {
	hasTryLeft,
	isOpen,
	jobsOf,
	ownCdpUrlOf,
	resultsOf,
	waits,
	type Item,
	type Result,
	type Run,
} from './Run';

/** After how many items other work of the process has its turn. */
const ITEMS_IN_A_ROW = 100;
/** How many items are connected at a time after a Stop. */
const MAX_CONCURRENT_AFTER_STOP = 10;

/**
 * Connects each prepared item: opens its entry in the memory of jobs, which `closeItems` closes
 * again, and gives it its client. An item that can't run gets an error as its result. Sends
 * nothing.
 *
 * After a Stop of a node that isn't a tool, connects only the items whose jobs may have to be
 * paused.
 */
export async function connectItems(run: Run): Promise<void> {
	run.runtime.memory.forgetExpired();
	const items = run.items.filter(isOpen);
	// All of them first: each credential takes time to read, and meanwhile what is remembered of
	// later items could be forgotten. The key of a tool's call also depends on its account.
	if (!run.isTool) for (const item of items) recall(run, item);

	for (const [index, item] of items.entries()) {
		if (run.signal.aborted && !run.isTool) {
			await connectAfterStop(run, items.slice(index));
			return;
		}
		await connect(run, item);
		// Credentials that are known already take no time of their own.
		if (index % ITEMS_IN_A_ROW === ITEMS_IN_A_ROW - 1) await giveWay();
	}
}

/** Connects the items that have a job to pause, since a pause needs their client. */
async function connectAfterStop(run: Run, items: Item[]): Promise<void> {
	const toPause = items.filter((item) => {
		return item.task?.job?.pauseJob !== 'never' && jobsOf(item).some(mayRunOrStart);
	});
	await limitConcurrency(toPause, MAX_CONCURRENT_AFTER_STOP, async (item) => {
		await connect(run, item);
	});
}

async function connect(run: Run, item: Item): Promise<void> {
	const { clients, isTool } = run;
	try {
		// If a later start could not be sent, the jobs of the items before it would keep running.
		const checksKey = item.task?.job !== undefined;
		item.client = await clients.clientFor(item.index, { checksKey });
	} catch (error) {
		// Without an account, a tool's item is recalled for a given job, which its error names.
		if (isTool) recall(run, item);
		fail(item, toNodeFailure(error));
		// An earlier try may have left a job to this one: it can be paused once the credential is back.
		if (isTool || !jobsOf(item).some(mayRunOrStart)) return;
		item.client = clients.unloadedClient(item.index);
	}
	if (isTool) recall(run, item);
	item.client.redactor.addCdpUrl(ownCdpUrlOf(item));
	hideCdpUrls(item);
	if (isOpen(item)) failIfUnclear(run, item);
}

/** Gives an item what is remembered of its jobs, if it has any. */
function recall(run: Run, item: Item): void {
	const job = item.task?.job;
	if (job !== undefined) item.entry = openEntry(run, item, job);
}

/** Fails an item if it is unclear whether a job of it exists. */
function failIfUnclear(run: Run, item: Item): void {
	const { entry } = item;
	const job = entry?.jobs.at(-1);
	if (entry === undefined || job?.record.state !== 'unclear') return;
	item.isSkipped = true;
	const { memory, clock } = run.runtime;
	const keptMs = memory.expiryOf(entry) - clock.elapsed();
	const failsUntil = run.isTool ? clock.now() + keptMs : undefined;
	fail(item, notStartedAgainError(job, run.timeZone, failsUntil));
}

/**
 * Makes the item's redactor hide the CDP URLs of its jobs' browsers: it doesn't know those that an
 * earlier run or an equal call received.
 */
export function hideCdpUrls(item: Item): void {
	for (const { record } of jobsOf(item)) {
		item.client?.redactor.addCdpUrl(record.cdp_url);
	}
}

function fail(item: Item, error: NodeFailure): void {
	item.results = [{ kind: 'failed', error }];
}

/**
 * Opens the memory of an item. Its key tells the items of a run apart: an item may name several
 * jobs, so its index alone is not enough. Equal calls of a tool share a job: they have the same
 * account and parameters. The item's data don't count, since newer agents put a new ID for each
 * call into them.
 */
function openEntry(run: Run, { index, client }: Item, { jobId }: JobTask): MemoryEntry {
	const { context, isTool, memoryScope, runtime } = run;
	const call = [client?.account.id, index, jobId, evaluatedParameters(context, index)];
	const itemKey = isTool
		? createHash('sha256').update(JSON.stringify(call)).digest('base64url')
		: `${index} ${jobId ?? ''}`;
	const given = jobId === undefined ? undefined : { state: 'started' as const, job_id: jobId };
	return runtime.memory.open(`${memoryScope} ${itemKey}`, run, given);
}

/** Returns the values of all parameters that the node has set, in the order of their names. */
function evaluatedParameters(context: IExecuteFunctions, index: number): unknown[] {
	const names = Object.keys(context.getNode().parameters).sort();
	return names.map((name) => [name, context.getNodeParameter(name, index, null)]);
}

/** Ends a run's work with the jobs of its items. `isFailure`: whether the run throws. */
export function closeItems(run: Run, isFailure: boolean): void {
	const { runtime, items, isTool, executionId, clock, beganAt, node } = run;
	const hasFailed = (item: Item) => resultsOf(item).some(({ kind }) => kind === 'failed');
	const isAnyFailed = isFailure || items.some(hasFailed);
	for (const { entry } of items) {
		if (entry !== undefined) runtime.memory.recordTry(entry, { isThrown: isFailure });
	}
	const mayBeRetried = isAnyFailed && hasTryLeft(run);

	for (const item of items) {
		const { entry, results } = item;
		if (entry === undefined) continue;
		if (!isTool) {
			runtime.memory.close(entry, run, { kind: 'run', mayBeRetried });
			continue;
		}
		if (item.isSkipped === true) {
			runtime.memory.close(entry, run, { kind: 'skippedCall' });
			continue;
		}
		const isReturned = !isFailure && results !== undefined && !hasFailed(item);
		runtime.memory.close(entry, run, {
			kind: 'call',
			mayBeRetried: isAnyFailed && node.retryOnFail === true,
			hasExecution: executionId !== '',
			isDelivered: isReturned ? !results.some(isUnfinished) : hasLastingError(item),
			isSuccess: isReturned && isSuccess(item),
			tookMs: clock.elapsed() - beganAt,
		});
	}
}

function hasLastingError(item: Item): boolean {
	return resultsOf(item).some(
		(result) => result.kind === 'failed' && result.error.details.isLasting === true,
	);
}

function isUnfinished(result: Result): boolean {
	return result.kind === 'output' && result.isUnfinished === true;
}

function isSuccess(item: Item): boolean {
	const { status = '' } = jobsOf(item).at(-1)?.record ?? {};
	return !waits(item) || isSuccessful({ status });
}

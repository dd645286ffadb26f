import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import type { MemoryEntry } from '../jobs/JobMemory';
import { notStartedAgainError } from '../jobs/startOnce';
import { isSuccessful } from '../jobs/status';
import { jobsOf, resultsOf, type Item, type JobTask, type Result, type Run } from './Run';

/**
 * Gives each prepared item its client, and what is remembered of its jobs. An item that can't run
 * gets an error as its result. Sends nothing.
 */
export async function connectItems(run: Run): Promise<void> {
	run.runtime.memory.forgetExpired();
	for (const item of run.items) {
		const job = item.task?.job;
		if (item.results !== undefined) continue;
		try {
			// A start that can't be sent would leave the jobs of the items before it running.
			const checksKey = job !== undefined;
			item.client = await run.clients.clientFor(item.index, { checksKey });
		} catch (error) {
			// An earlier run may have started the item's job, even though this run has no client.
			if (job !== undefined) item.entry = openEntry(run, item, job);
			fail(item, toUserError(error));
			continue;
		}
		if (job !== undefined) recallJobs(run, item, job);
	}
}

function recallJobs(run: Run, item: Item, job: JobTask): void {
	const entry = openEntry(run, item, job);
	item.entry = entry;
	item.client?.redactor.addCdpUrl(job.cdpUrl);
	hideCdpUrls(item);
	if (entry.jobs.at(-1)?.record.state !== 'unclear') return;
	item.isRefused = true;
	const { memory, clock } = run.runtime;
	const keptMs = memory.expiryOf(entry) - clock.elapsed();
	fail(item, notStartedAgainError(run.isTool ? clock.now() + keptMs : undefined));
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

function fail(item: Item, error: UserError): void {
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
	const call = [client?.account.name, index, jobId, evaluatedParameters(context, index)];
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
	const mayBeRetried = node.retryOnFail === true && (isFailure || items.some(hasFailed));

	for (const item of items) {
		const { entry, results } = item;
		if (entry === undefined) continue;
		// A refused call of a tool prolongs nothing, however often it comes.
		if (isTool && item.isRefused === true) {
			runtime.memory.close(entry, run, { mayBeRetried: false });
			continue;
		}
		const isReturned = !isFailure && results !== undefined && !hasFailed(item);
		const call = {
			hasExecution: executionId !== '',
			isDelivered: entry.hasFinalError || (isReturned && !results.some(isUnfinished)),
			isSuccess: isReturned && isSuccess(item),
			tookMs: clock.elapsed() - beganAt,
		};
		runtime.memory.close(entry, run, { mayBeRetried, call: isTool ? call : undefined });
	}
}

function isUnfinished(result: Result): boolean {
	return result.kind === 'output' && result.isUnfinished === true;
}

function isSuccess(item: Item): boolean {
	const { status = '' } = jobsOf(item).at(-1)?.record ?? {};
	return item.task?.job?.waits !== true || isSuccessful({ status });
}

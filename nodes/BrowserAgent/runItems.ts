import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { connect } from '../client/connect';
import { NodeProblem, stopped, withMore } from '../errors/NodeProblem';
import { toNodeError, toProblem, type ProblemPlace } from '../errors/toNodeError';
import { currentClock } from '../jobs/clock';
import { limitParallel } from '../jobs/limitParallel';
import { checkCredits } from './checkCredits';
import { findOperation } from './operations';
import type { ItemRun, OutputItem, PreparedItem } from './operations/operation';
import { Progress } from './progress';
import { rememberStartedJobs, type StartedJobs } from './startedJobs';

/** An item that has been read, or the reason why it can't be. */
type Prepared = { item: PreparedItem } | { error: unknown };
type Outcome = OutputItem | { error: unknown };
type ItemPlace = ProblemPlace & { itemIndex: number };

/**
 * Runs the chosen operation for all input items and returns its output in their order, each item
 * paired with the one it came from. All items are read and checked before anything is sent.
 * An item that cannot be done becomes an item with `error` with Continue On Fail; without, the waits
 * for the others end, and the first error is thrown with the jobs that were started by then.
 */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const place: ProblemPlace = { node: context.getNode(), isTool: isTool(context) };
	const goesOn = context.continueOnFail();
	const inputs = context.getInputData();

	const prepared = inputs.map((_, itemIndex) => prepare(context, itemIndex));
	const wrong = prepared.findIndex((one) => 'error' in one);
	if (wrong !== -1 && !goesOn) {
		throw toNodeError(errorIn(prepared[wrong]), { ...place, itemIndex: wrong });
	}

	const startedJobs = rememberStartedJobs(context);
	const stop = new AbortController();
	const signal = eitherOf(stop.signal, context.getExecutionCancelSignal());

	let shared: Omit<ItemRun, 'memory'>;
	try {
		if (signal.aborted) throw stoppedBefore(startedJobs);
		const client = await connect(context);
		shared = {
			client,
			clock: currentClock(),
			logger: context.logger,
			signal,
			progress: new Progress(),
			storeFile: context.helpers.prepareBinaryData.bind(context.helpers),
		};
		await checkCredits(shared, minimumCredits(prepared, startedJobs));
	} catch (error) {
		const problem = withStartedJobs(toProblem(error) ?? error, startedJobs);
		if (!goesOn || signal.aborted) throw toNodeError(problem, place);
		return [inputs.map((_, itemIndex) => toErrorItem(error, { ...place, itemIndex }))];
	}

	const outcomes = prepared.map((one): Outcome[] => ('error' in one ? [one] : []));
	await limitParallel(inputs.length, maxParallel(prepared), async (itemIndex) => {
		const one = prepared[itemIndex];
		if (one === undefined || 'error' in one) return;

		const results = await work(one.item, { ...shared, memory: startedJobs.forItem(itemIndex) });
		outcomes[itemIndex] = results;
		const failed = results.find((result) => 'error' in result);
		if (failed === undefined || (goesOn && !signal.aborted)) return;
		stop.abort();
		throw toNodeError(withStartedJobs(failed.error, startedJobs), { ...place, itemIndex });
	});

	const hint = shared.progress.toHint();
	// Older versions of n8n cannot show any.
	if (hint !== undefined) context.addExecutionHints?.(hint);
	// With an error among them, n8n may try the node again.
	if (!outcomes.flat().some((one) => 'error' in one)) startedJobs.forgetRun();
	return [
		outcomes.flatMap((results, itemIndex) =>
			results.map((result) =>
				'error' in result
					? toErrorItem(result.error, { ...place, itemIndex })
					: { ...result, pairedItem: { item: itemIndex } },
			),
		),
	];
}

async function work(item: PreparedItem, run: ItemRun): Promise<Outcome[]> {
	try {
		// Each item with a signal of its own: Node.js warns of a leak when one has many listeners.
		return await item.work({ ...run, signal: AbortSignal.any([run.signal]) });
	} catch (error) {
		return [{ error: toProblem(error, item.about) ?? error }];
	}
}

function prepare(context: IExecuteFunctions, itemIndex: number): Prepared {
	try {
		const resource = context.getNodeParameter('resource', itemIndex);
		const operation = context.getNodeParameter('operation', itemIndex);
		return { item: findOperation(resource, operation).prepare(context, itemIndex) };
	} catch (error) {
		return { error };
	}
}

function errorIn(prepared: Prepared | undefined): unknown {
	return prepared !== undefined && 'error' in prepared ? prepared.error : undefined;
}

function maxParallel(prepared: Prepared[]): number {
	const limits = prepared.map((one) => ('item' in one ? one.item.maxParallel : undefined) ?? 1);
	return Math.max(1, ...limits);
}

// Only for what is still to be started: a job that is picked up has been paid for.
function minimumCredits(prepared: Prepared[], startedJobs: StartedJobs): number | undefined {
	const wanted = prepared.flatMap((one, itemIndex) => {
		const isStarted = startedJobs.forItem(itemIndex).job !== undefined;
		const minimum = 'item' in one && !isStarted ? one.item.minimumCredits : undefined;
		return minimum === undefined ? [] : [minimum];
	});
	return wanted.length === 0 ? undefined : Math.max(...wanted);
}

// Retry On Fail tries a node again also when its execution was stopped.
function stoppedBefore(startedJobs: StartedJobs): NodeProblem {
	if (startedJobs.isEmpty) return stopped('nothing was sent');
	return stopped('the node was not tried again', {
		description: startedJobs.hasUnclear
			? "A start was not answered, so its job may be running. Look it up in the service's web platform."
			: undefined,
	});
}

function withStartedJobs(problem: unknown, startedJobs: StartedJobs): unknown {
	if (!(problem instanceof NodeProblem)) return problem;
	const jobIds = startedJobs.jobIds();
	if (jobIds.every((jobId) => problem.details.jobIds?.includes(jobId))) return problem;
	return withMore(problem, `Jobs started by this node so far: ${jobIds.join(', ')}.`, jobIds);
}

// n8n sends an item with `error` to the error output, and makes its message the item's JSON.
function toErrorItem(error: unknown, place: ItemPlace): INodeExecutionData {
	const nodeError = toNodeError(error, place);
	return {
		json: { error: nodeError.message },
		error: nodeError,
		pairedItem: { item: place.itemIndex },
	};
}

function eitherOf(own: AbortSignal, executions: AbortSignal | undefined): AbortSignal {
	return executions === undefined ? own : AbortSignal.any([own, executions]);
}

// As a tool, n8n runs the node under a type of its own, or in a context that says so.
function isTool(context: IExecuteFunctions): boolean {
	return (context.isToolExecution?.() ?? false) || context.getNode().type.endsWith('Tool');
}

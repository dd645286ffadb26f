import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { stopped, type UserError } from '../errors/UserError';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { ChildSignals } from '../async/ChildSignals';
import { limitConcurrency } from '../async/limitConcurrency';
import { checkCredits } from './checkCredits';
import { connectRun, placeOf } from './connectRun';
import { DurableWait } from './suspend/DurableWait';
import { findOperation } from './operations';
import type { HandedOver, PreparedItem, SharedRun } from './operations/operation';
import { toItems, withStartedJobs, type Outcome } from './outcomes';
import { rememberStartedJobs, type StartedJobs } from './startedJobs';

/** An item that has been read, or the reason why it can't be. */
type Prepared = { item: PreparedItem } | { error: unknown };

type WorkOnItem = (item: PreparedItem, itemIndex: number) => Promise<Array<Outcome | HandedOver>>;

/**
 * Runs the chosen operation for all input items and returns its output in their order, each item
 * paired with the one it came from. All items are read and checked before anything is sent.
 * An item that cannot be done becomes an item with `error` with Continue On Fail; without, the waits
 * for the others end, and the first error is thrown with the jobs that were started by then.
 */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const place = placeOf(context);
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

	let shared: SharedRun;
	try {
		if (signal.aborted) throw stoppedBefore(startedJobs);
		shared = await connectRun(context, signal);
		await checkCredits(shared, minimumCredits(prepared, startedJobs));
	} catch (error) {
		const problem = withStartedJobs(toUserError(error) ?? error, startedJobs.jobIds());
		if (!goesOn || signal.aborted) throw toNodeError(problem, { ...place, itemIndex: 0 });
		const failed = prepared.map((one) => ['error' in one ? one : { error: problem }]);
		return [toItems(failed, place)];
	}

	const durable = new DurableWait(context, place, shared);
	const outcomes = prepared.map(
		(one): Array<Outcome | HandedOver> => ('error' in one ? [one] : []),
	);
	const workOn = async (next: WorkOnItem) => {
		await limitConcurrency(inputs.length, maxParallel(prepared), async (itemIndex) => {
			const one = prepared[itemIndex];
			if (one === undefined || 'error' in one) return;

			let results: Array<Outcome | HandedOver>;
			try {
				results = await next(one.item, itemIndex);
			} catch (error) {
				results = [{ error: toUserError(error, one.item.about) ?? error }];
			}
			outcomes[itemIndex] = results;
			const failed = results.find((result) => 'error' in result);
			if (failed === undefined || (goesOn && !signal.aborted)) return;
			stop.abort();
			const error = withStartedJobs(failed.error, startedJobs.jobIds());
			throw toNodeError(error, { ...place, itemIndex });
		});
	};

	const itemSignals = new ChildSignals(signal);
	const lastDurable = prepared.findLastIndex((one) => 'item' in one && one.item.isDurable === true);
	await workOn((item, itemIndex) => {
		if (itemIndex === lastDurable) durable.allHaveBegun();
		return itemSignals.lend((itemSignal) =>
			item.work({
				...shared,
				signal: itemSignal,
				leave: item.isDurable === true ? durable.leave : undefined,
				memory: startedJobs.forItem(itemIndex),
			}),
		);
	}).finally(() => durable.end());

	if (outcomes.flat().some((one) => 'handedOver' in one)) {
		const waiting = await durable.handOver(outcomes, startedJobs.jobIds());
		if (waiting !== undefined) return [waiting];
		await workOn((_item, itemIndex) => durable.stay(outcomes[itemIndex] ?? []));
	}

	const hint = shared.progress.toHint();
	// Older versions of n8n cannot show any.
	if (hint !== undefined) context.addExecutionHints?.(hint);
	// With an error among them, n8n may try the node again.
	if (!outcomes.flat().some((one) => 'error' in one)) startedJobs.forgetRun();
	return [toItems(outcomes, place)];
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
	const limits = prepared.flatMap((one) => ('item' in one ? [one.item.maxParallel ?? 1] : []));
	return limits.length === 0 ? 1 : Math.min(...limits);
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
function stoppedBefore(startedJobs: StartedJobs): UserError {
	if (startedJobs.isEmpty) return stopped('nothing was sent');
	return stopped('the node was not tried again', {
		description: startedJobs.hasUnclear
			? "A start was not answered, so its job may be running. Look it up in the service's web platform."
			: undefined,
	});
}

function eitherOf(own: AbortSignal, executions: AbortSignal | undefined): AbortSignal {
	return executions === undefined ? own : AbortSignal.any([own, executions]);
}

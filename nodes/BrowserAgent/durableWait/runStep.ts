import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toNodeError, toProblem } from '../../errors/toNodeError';
import { connectRun, placeOf } from '../connectRun';
import type { SharedRun } from '../operations/operation';
import { toItems, withStartedJobs, type Outcome } from '../outcomes';
import { finish } from './finish';
import { look } from './look';
import type { DurableState, TravellingItem } from './state';
import type { DurableStep } from './subWorkflow';

/** The part of a durable wait that this node plays; undefined in a user's own workflow. */
export function readStep(context: IExecuteFunctions): DurableStep | undefined {
	const step = context.getNodeParameter('durableStep', 0, '');
	return step === 'look' || step === 'finish' ? step : undefined;
}

/** Runs a step of a durable wait, in the sub-workflow that holds it. */
export async function runStep(
	context: IExecuteFunctions,
	step: DurableStep,
): Promise<INodeExecutionData[][]> {
	const [input] = context.getInputData();
	const { state } = (input?.json ?? {}) as unknown as TravellingItem;
	const signal = context.getExecutionCancelSignal() ?? new AbortController().signal;
	try {
		const run = await connectRun(context, signal);
		if (step === 'finish') return [await finishAll(context, run, state)];
		const next = await look(context, run, state);
		return [[{ json: next as unknown as IDataObject, pairedItem: { item: 0 } }]];
	} catch (error) {
		throw toNodeError(
			withStartedJobs(toProblem(error) ?? error, jobIdsOf(state)),
			placeOf(context),
		);
	}
}

async function finishAll(
	context: IExecuteFunctions,
	run: SharedRun,
	state: DurableState,
): Promise<INodeExecutionData[]> {
	const outcomes = await Promise.all(
		state.items.map(async (item): Promise<Outcome> => {
			try {
				return await finish(run, item);
			} catch (error) {
				return { error };
			}
		}),
	);
	const failed = outcomes.findIndex((outcome) => 'error' in outcome);
	const first = outcomes[failed];
	if (first !== undefined && 'error' in first && !context.continueOnFail()) {
		const error = withStartedJobs(first.error, jobIdsOf(state));
		throw toNodeError(error, { ...placeOf(context), itemIndex: failed });
	}
	return toItems(
		outcomes.map((outcome) => [outcome]),
		placeOf(context),
	);
}

function jobIdsOf(state: DurableState | undefined): string[] {
	return (state?.items ?? []).flatMap((item) => {
		if ('handedOver' in item) return [item.handedOver.watched.jobId];
		if ('problem' in item) return item.problem.details.jobIds ?? [];
		const { job_id: jobId } = item.output.json;
		return typeof jobId === 'string' ? [jobId] : [];
	});
}

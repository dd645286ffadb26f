import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { UserError } from '../../errors/UserError';
import { toNodeError, toUserError, type ProblemPlace } from '../../errors/toNodeError';
import { limitConcurrency } from '../../async/limitConcurrency';
import { connectRun, placeOf } from '../connectRun';
import type { SharedRun } from '../operations/operation';
import { toItems, withStartedJobs, type Outcome } from '../outcomes';
import { finish } from './finish';
import { look } from './pollJobs';
import type { DurableState, TravellingItem } from './state';
import type { DurableStep } from './subWorkflow';

const ITEMS_AT_ONCE = 5;

/** The part of a durable wait that this node plays; undefined in a user's own workflow. */
export function readStep(context: IExecuteFunctions): DurableStep | undefined {
	const step = context.getNodeParameter('durableStep', 0, '');
	const isTravelling = context.getInputData()[0]?.json.state !== undefined;
	return isTravelling && (step === 'look' || step === 'finish') ? step : undefined;
}

/** Runs a step of a durable wait, in the sub-workflow that holds it. */
export async function runStep(
	context: IExecuteFunctions,
	step: DurableStep,
): Promise<INodeExecutionData[][]> {
	const [input] = context.getInputData();
	const { state } = (input?.json ?? {}) as unknown as TravellingItem;
	const signal = context.getExecutionCancelSignal() ?? new AbortController().signal;
	// The user knows the node that waits, not the one that looks.
	const place = { ...placeOf(context), node: { ...context.getNode(), ...state.node } };
	try {
		const run = await connectRun(context, signal);
		if (step === 'finish') return [await finishAll(run, state, place)];
		const next = await look(context, run, state);
		return [[{ json: next as unknown as IDataObject, pairedItem: { item: 0 } }]];
	} catch (error) {
		throw toNodeError(withStartedJobs(toUserError(error) ?? error, state.startedJobIds), place);
	}
}

async function finishAll(
	run: SharedRun,
	state: DurableState,
	place: ProblemPlace,
): Promise<INodeExecutionData[]> {
	const outcomes: Outcome[] = [];
	await limitConcurrency(state.items.length, ITEMS_AT_ONCE, async (index) => {
		const item = state.items[index];
		if (item !== undefined) {
			outcomes[index] = await finish(run, item).catch((error: unknown) => ({ error }));
		}
	});
	const failed = outcomes.findIndex((outcome) => 'error' in outcome && !isGivenUp(outcome.error));
	const first = outcomes[failed];
	if (first !== undefined && 'error' in first && !state.goesOn) {
		const error = withStartedJobs(first.error, state.startedJobIds);
		throw toNodeError(error, { ...place, itemIndex: failed });
	}
	return toItems(
		outcomes.map((outcome) => [outcome]),
		place,
	);
}

// Only because another item has failed.
function isGivenUp(error: unknown): boolean {
	return error instanceof UserError && error.details.isStop === true;
}

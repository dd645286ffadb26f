import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { omitUndefined } from '../../output/jobItem';
import type { ItemResult, Run } from '../types';
import { toRunState, type SuspendedState } from './state';
import { toSuspendedJson } from './suspendedJson';

/** The result of a round: what the next round, or the end, is passed. */
export function toRoundOutput(
	run: Run,
	state: SuspendedState,
	results: ItemResult[],
): INodeExecutionData[] {
	const next = { ...state, ...toRunState(run, results, state) };
	const json = toSuspendedJson(next, run.clock.now()) as unknown as IDataObject;
	// n8n's Retry On Fail runs the round again.
	const error = run.continueOnFail ? firstNewError(state, results) : undefined;
	return [{ json: omitUndefined({ ...json, error }), pairedItem: { item: 0 } }];
}

function firstNewError(
	{ results: before }: SuspendedState,
	results: ItemResult[],
): string | undefined {
	const failed = results.find(({ outcome }, index) => {
		return 'error' in outcome && 'suspended' in (before[index]?.outcome ?? {});
	});
	return failed && 'error' in failed.outcome ? failed.outcome.error.message : undefined;
}

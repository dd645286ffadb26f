import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { omitUndefined } from '../../output/jobItem';
import type { RateLimiter } from '../../service/RateLimiter';
import type { Run, SettledItem } from '../types';
import {
	jobIdsIn,
	suspendedIn,
	toRunState,
	type SuspendedJson,
	type SuspendedItem,
	type SuspendedState,
} from './state';
import { secondsToNextRound } from './timing';

/** The output of a round: what is passed to the next one or, if all waits are over, to the end. */
export function toRoundOutput(
	run: Run,
	state: SuspendedState,
	settled: SettledItem[],
): INodeExecutionData[] {
	const next = { ...state, ...toRunState(run, settled, state) };
	const json = toSuspendedJson(next, run.clock.now(), limiterOf(settled));
	// n8n's Retry On Fail runs the round again.
	const errors = settled.flatMap(({ outcome }, index) => {
		const isNew = state.items[index]?.outcome.kind === 'suspended';
		return isNew && outcome.kind === 'failed' ? outcome.error.message : [];
	});
	const error = run.continueOnFail ? errors[0] : undefined;
	return [{ json: omitUndefined({ ...json, error }), pairedItem: { item: 0 } }];
}

/** The item for the next round or, if all waits are over, for the end. */
export function toSuspendedJson(
	state: SuspendedState,
	now: number,
	limiter: RateLimiter | undefined,
): SuspendedJson {
	const suspended = suspendedIn(state);
	const isDone = suspended.length === 0;
	return {
		waitSeconds: isDone ? 0 : secondsToNextRound(state, now, limiter),
		isDone,
		message: isDone
			? 'All jobs have finished'
			: `Waiting for job ${jobIdsIn(state).join(', ')}. If you see this item in the output of your workflow, n8n was interrupted during a status check: get the result with Job: Wait.`,
		jobs: suspended.map(toShownJob),
		state,
	};
}

/**
 * What permits the polls of suspended waits, which all have the same account; undefined without a
 * credential.
 */
export function limiterOf(settled: SettledItem[]): RateLimiter | undefined {
	const sessions = settled.flatMap(({ outcome }) =>
		outcome.kind === 'suspended' ? (outcome.session ?? []) : [],
	);
	return sessions[0]?.client.account.polls;
}

/** A job that is waited for, as users recognize it, and where they can see it and act. */
export function toShownJob({ outcome, entry }: SuspendedItem): IDataObject {
	const { job, started } = entry?.known ?? {};
	return omitUndefined({
		job_id: outcome.wait.jobId,
		is_finished: false,
		live_url: job?.live_url ?? started?.live_url,
		history_url: job?.history_url ?? started?.history_url,
	});
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Clock } from '../../async/clock';
import { omitUndefined } from '../../output/jobItem';
import type { RateLimiter } from '../../service/RateLimiter';
import { linkHint } from '../linkHint';
import type { ItemOutcome, Run } from '../types';
import {
	jobIdsIn,
	suspendedIn,
	toRunState,
	type SuspendedJson,
	type SuspendedItem,
	type SuspendedState,
} from './state';
import { toStoredState } from './storedState';
import { secondsToNextRound } from './timing';

/**
 * Returns the output of a round, for the next round or, if all waits are over, for the final step.
 * Reserves the polls of the next round, and shows a hint with links to a single job.
 */
export function toRoundOutput(
	run: Run,
	state: SuspendedState,
	outcomes: ItemOutcome[],
): INodeExecutionData[] {
	const next = { ...state, ...toRunState(run, outcomes, state) };
	const json = toSuspendedJson(next, run.clock, limiterOf(outcomes));
	const hint = linkHint(outcomes);
	if (hint !== undefined) run.showHint(hint);
	// With an `error`, n8n's Retry On Fail runs the round again.
	const error = run.continueOnFail ? firstNewError(state, outcomes) : undefined;
	return [{ json: omitUndefined({ ...json, error }), pairedItem: { item: 0 } }];
}

/** Returns the message of the first item whose wait failed in this round. */
function firstNewError(before: SuspendedState, outcomes: ItemOutcome[]): string | undefined {
	for (const [index, { outcome }] of outcomes.entries()) {
		const wasSuspended = before.items[index]?.outcome.kind === 'suspended';
		if (wasSuspended && outcome.kind === 'failed') return outcome.error.message;
	}
	return undefined;
}

/**
 * Returns the JSON for the next round or, if all waits are over, for the final step. Reserves the
 * polls of the next round with `limiter`.
 */
export function toSuspendedJson(
	state: SuspendedState,
	clock: Clock,
	limiter: RateLimiter | undefined,
): SuspendedJson {
	const suspended = suspendedIn(state);
	const isDone = suspended.length === 0;
	return {
		waitSeconds: isDone ? 0 : secondsToNextRound(state, clock.now(), limiter),
		isDone,
		message: isDone
			? 'All jobs have finished'
			: `Waiting for job ${jobIdsIn(state).join(', ')}. If you see this item in the output of your workflow, n8n was interrupted during a status check: get the result with Job: Wait.`,
		jobs: suspended.map(toJobSummary),
		state: toStoredState(state, clock),
	};
}

/**
 * Returns the rate limiter of the account, which is the same for all suspended waits; undefined
 * without a usable credential.
 */
export function limiterOf(outcomes: ItemOutcome[]): RateLimiter | undefined {
	for (const { outcome } of outcomes) {
		if (outcome.kind === 'suspended' && outcome.session !== undefined) {
			return outcome.session.client.account.polls;
		}
	}
	return undefined;
}

/**
 * Returns what users see of a job that is being awaited: its ID and links, so that they can act.
 */
export function toJobSummary({ outcome, entry }: SuspendedItem): IDataObject {
	const { job, started } = entry?.known ?? {};
	return omitUndefined({
		job_id: outcome.wait.jobId,
		is_finished: false,
		live_url: job?.live_url ?? started?.live_url,
		history_url: job?.history_url ?? started?.history_url,
	});
}

import type { IDataObject, INode } from 'n8n-workflow';

import type { Clock } from '../../async/clock';
import type { ServiceErrorFacts } from '../../errors/ServiceError';
import type { UserErrorDetails } from '../../errors/UserError';
import type { PausePolicy } from '../../jobs/JobLedger';
import type { WaitResult, WaitTimes } from '../../jobs/waitForJob';
import { withoutUnset } from '../../output/jobItem';
import type { Job } from '../../service/types';
import { isError, isSuspended, type FinishOptions, type OutputItem, type RunResult } from '../run';

/** A suspended wait. All of it is JSON, with dates instead of the clock's times. */
export interface StoredWait {
	jobId: string;
	startedDate?: number;
	waitBeganDate: number;
	deadlineDate: number;
	options: FinishOptions;
	policy: PausePolicy;
	/** The links of the response to the start. */
	links: Pick<Job, 'live_url' | 'history_url' | 'cdp_url'>;
	/** The job as last seen, and what was wrong with the last poll. */
	job?: Job;
	error?: ServiceErrorFacts;
	/** How the wait has ended; unset: it continues. */
	reason?: WaitResult['reason'];
	/** Whether the node has paused the job since. */
	isPaused?: boolean;
}

/** One result of the suspended node: done, failed, or still waited for. */
export type StoredResult = { itemIndex: number } & (
	| { output: OutputItem }
	| { error: { message: string; details: UserErrorDetails } }
	| { wait: StoredWait }
);

/** What a suspended run passes on from round to round through the sub-workflow that holds it. */
export interface SuspendedState {
	results: StoredResult[];
	continueOnFail: boolean;
	/** All jobs that the suspended node has started. */
	startedJobIds: string[];
	/** The suspended node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	parentExecutionId: string;
	suspendedDate: number;
	guard?: StoredGuard;
}

/** The guard of the account's credits. */
export interface StoredGuard {
	floor: number;
	/** When the balance was read last. */
	lastReadDate?: number;
	/** The credits, once they are below the floor. */
	credits?: number;
}

/** The item that passes through the sub-workflow. The first fields are what n8n's own nodes read. */
export interface SuspendedJson {
	waitSeconds: number;
	isDone: boolean;
	/**
	 * If n8n is killed during a round, it takes this item for what the sub-workflow returns, and this is
	 * what tells the user. Not `error`: nothing is wrong with a run that nobody kills.
	 */
	message: string;
	/** The jobs that are waited for, as they were last seen. */
	jobs: IDataObject[];
	state: SuspendedState;
}

// n8n keeps what waits for less than 65 s in memory. It takes the time twice, so that 65 s may be a
// millisecond short.
const MIN_SECONDS = 66;
const MAX_SECONDS = 300;
const ROUNDS_PER_AGE = 8;

/** The item for the next round, or for the end. */
export function toSuspendedJson(state: SuspendedState, now: number, isDone = false): SuspendedJson {
	const waits = openWaits(state);
	const jobIds = waits.map(({ jobId }) => jobId);
	return {
		waitSeconds: isDone ? 0 : secondsToNextRound(state, now),
		isDone,
		message:
			jobIds.length === 0
				? 'All jobs have finished'
				: `Waiting for job ${jobIds.join(', ')}. If the workflow continues with this item, n8n was stopped during a status check: get the result with Job: Wait.`,
		jobs: waits.map(toShownJob),
		state,
	};
}

/** A job that is waited for, as users recognize it, and where they can see it and act. */
export function toShownJob({ jobId, job, links }: StoredWait): IDataObject {
	return withoutUnset({
		job_id: jobId,
		is_finished: false,
		live_url: job?.live_url ?? links.live_url,
		history_url: job?.history_url ?? links.history_url,
	});
}

/**
 * How long n8n waits until the next round, in seconds: longer as the wait continues, not more often than
 * the user allows, and not beyond the first deadline.
 */
export function secondsToNextRound(state: SuspendedState, nowDate: number): number {
	const waits = openWaits(state);
	const ageSeconds = (nowDate - state.suspendedDate) / 1000;
	const paced = Math.min(Math.max(ageSeconds / ROUNDS_PER_AGE, MIN_SECONDS), MAX_SECONDS);
	const allowed = waits.map(({ options }) => (options.wait.pollIntervalMs ?? 0) / 1000);
	const toDeadlines = waits.map(({ deadlineDate }) => Math.ceil((deadlineDate - nowDate) / 1000));
	const wanted = Math.round(Math.max(paced, ...allowed));
	return Math.max(Math.min(wanted, ...toDeadlines), MIN_SECONDS);
}

/** The waits that have not ended. */
export function openWaits(state: SuspendedState): StoredWait[] {
	return allWaits(state).filter(({ reason }) => reason === undefined);
}

/** The waits, also those that have ended. */
export function allWaits({ results }: SuspendedState): StoredWait[] {
	return results.flatMap((one) => ('wait' in one ? one.wait : []));
}

/** The results of the items of a run, as they are stored. */
export function toStoredResults(results: RunResult[], clock: Clock): StoredResult[] {
	return results.map(({ itemIndex, result }): StoredResult => {
		if (isError(result)) {
			const { message, details } = result.error;
			return { itemIndex, error: { message, details } };
		}
		if (!isSuspended(result)) return { itemIndex, output: result };
		const { item, times, options } = result.suspended;
		const { entry } = item;
		const { live_url, history_url, cdp_url } = entry.started ?? {};
		const wait = {
			...toDates(times, clock),
			options,
			policy: entry.policy,
			links: { live_url, history_url, ...(options.returnCdpUrl === true && { cdp_url }) },
			job: entry.job && toStoredJob(entry.job, options),
		};
		return { itemIndex, wait };
	});
}

/** The times of a stored wait, by this process's clock. */
export function toTimes(wait: StoredWait, clock: Clock): WaitTimes {
	const toTime = (date: number) => date - clock.date() + clock.now();
	const { jobId, startedDate, waitBeganDate, deadlineDate } = wait;
	return {
		jobId,
		startedAt: startedDate === undefined ? undefined : toTime(startedDate),
		waitBegan: toTime(waitBeganDate),
		deadline: toTime(deadlineDate),
	};
}

/** A job as it may be stored: with the address of its browser only if the item is to have it. */
export function toStoredJob(job: Job, { simplify, returnCdpUrl }: FinishOptions): Job {
	if (!simplify) return job;
	return { ...job, body: {}, cdp_url: returnCdpUrl === true ? job.cdp_url : undefined };
}

function toDates({ jobId, startedAt, waitBegan, deadline }: WaitTimes, clock: Clock) {
	const toDate = (time: number) => time - clock.now() + clock.date();
	return {
		jobId,
		startedDate: startedAt === undefined ? undefined : toDate(startedAt),
		waitBeganDate: toDate(waitBegan),
		deadlineDate: toDate(deadline),
	};
}

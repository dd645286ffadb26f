import type { IDataObject, INode } from 'n8n-workflow';

import type { Clock } from '../../async/clock';
import type { ServiceErrorFacts } from '../../errors/ServiceError';
import type { JobLedger } from '../../jobs/JobLedger';
import type { EntryFacts, PausePolicy } from '../../jobs/LedgerEntry';
import type { JobWait, WaitResult } from '../../jobs/waitForJob';
import { omitUndefined } from '../../output/jobItem';
import type { FinishOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { ItemResult, StoredResult } from '../types';

/** A suspended wait. All of it is JSON, with dates instead of the clock's times. */
export interface StoredWait {
	jobId: string;
	waitBeganDate: number;
	deadlineDate: number;
	options: FinishOptions;
	/** What was wrong with the last poll. */
	error?: ServiceErrorFacts;
	/** How the wait has ended, and the job as it was then; unset: it continues. */
	end?: Pick<WaitResult, 'reason' | 'job'>;
}

/** An entry of the ledger, with dates instead of the clock's times. */
export interface StoredEntry {
	facts: Omit<EntryFacts, 'error'>;
	policy: PausePolicy;
}

/** What a suspended run passes on from round to round through the sub-workflow that holds it. */
export interface SuspendedState {
	results: StoredResult[];
	/** All jobs that the suspended node has started or waits for, by their IDs. */
	entries: Record<string, StoredEntry>;
	continueOnFail: boolean;
	/** The suspended node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	parentExecutionId: string;
	suspendedDate: number;
	credits?: StoredCredits;
}

/** What is known of the account's credits, if they have a threshold. */
export interface StoredCredits {
	threshold: number;
	/** When the balance was read last. */
	lastReadDate: number;
	/** The credits, once they are below the threshold. */
	tooFew?: number;
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
	const jobIds = openWaits(state).map(({ jobId }) => jobId);
	return {
		waitSeconds: isDone ? 0 : secondsToNextRound(state, now),
		isDone,
		message:
			jobIds.length === 0
				? 'All jobs have finished'
				: `Waiting for job ${jobIds.join(', ')}. If the workflow continues with this item, n8n was stopped during a status check: get the result with Job: Wait.`,
		jobs: jobIds.map((jobId) => toShownJob(jobId, state)),
		state,
	};
}

/** A job that is waited for, as users recognize it, and where they can see it and act. */
export function toShownJob(jobId: string, { entries }: SuspendedState): IDataObject {
	const { job, started } = entries[jobId]?.facts ?? {};
	return omitUndefined({
		job_id: jobId,
		is_finished: false,
		live_url: job?.live_url ?? started?.live_url,
		history_url: job?.history_url ?? started?.history_url,
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
export function openWaits({ results }: SuspendedState): StoredWait[] {
	return results.flatMap(({ outcome }) =>
		'wait' in outcome && outcome.wait.end === undefined ? outcome.wait : [],
	);
}

/** The results of the items of a run, as they are stored. */
export function toStoredResults(results: ItemResult[], clock: Clock): StoredResult[] {
	return results.map(({ itemIndex, outcome }): StoredResult => {
		if ('error' in outcome) {
			const { message, details } = outcome.error;
			return { itemIndex, outcome: { failed: { message, details } } };
		}
		if (!('suspended' in outcome)) return { itemIndex, outcome };
		const { wait, options } = outcome.suspended;
		const { jobId, waitBegan, deadline } = wait;
		const dates = {
			waitBeganDate: toDate(waitBegan, clock),
			deadlineDate: toDate(deadline, clock),
		};
		return { itemIndex, outcome: { wait: { jobId, ...dates, options } } };
	});
}

/** The wait, by this process's clock. */
export function toJobWait(
	stored: StoredWait,
	startedAt: number | undefined,
	clock: Clock,
): JobWait {
	const { jobId, waitBeganDate, deadlineDate, options } = stored;
	return {
		jobId,
		startedAt,
		waitBegan: toTime(waitBeganDate, clock),
		deadline: toTime(deadlineDate, clock),
		options: options.wait,
	};
}

/** A job as it may be stored: with the address of its browser only if the item is to have it. */
export function toStoredJob(job: Job, { simplify, returnCdpUrl }: FinishOptions): Job {
	if (!simplify) return job;
	return { ...job, body: {}, cdp_url: returnCdpUrl === true ? job.cdp_url : undefined };
}

/** What the ledger knows, as it is stored. */
export function toStoredEntries(
	{ entries }: JobLedger,
	results: StoredResult[],
	clock: Clock,
): SuspendedState['entries'] {
	const withAddress = new Set(
		results.flatMap(({ outcome }) =>
			'wait' in outcome && outcome.wait.options.returnCdpUrl === true ? outcome.wait.jobId : [],
		),
	);
	const stored = entries.flatMap(({ facts, policy }): Array<[string, StoredEntry]> => {
		const { state, jobId, started, job } = facts;
		if (jobId === undefined) return [];
		const { status, live_url, history_url } = job ?? {};
		const seen = status === undefined ? undefined : { status, live_url, history_url };
		const sent = started && {
			...started,
			body: {},
			cdp_url: withAddress.has(jobId) ? started.cdp_url : undefined,
			startedAt: toDate(started.startedAt, clock),
		};
		const kept = { state, jobId, started: sent, job: seen && { job_id: jobId, ...seen, body: {} } };
		return [[jobId, { facts: kept, policy }]];
	});
	return Object.fromEntries(stored);
}

/** The same, by this process's clock. */
export function toEntryFacts({ facts }: StoredEntry, clock: Clock): EntryFacts {
	const { started } = facts;
	if (started === undefined) return facts;
	return { ...facts, started: { ...started, startedAt: toTime(started.startedAt, clock) } };
}

/** A clock's time as a date, in ms since 1970. */
export function toDate(time: number, clock: Clock): number {
	return time - clock.now() + clock.date();
}

/** A date as a clock's time. */
export function toTime(date: number, clock: Clock): number {
	return date - clock.date() + clock.now();
}

import type { INode } from 'n8n-workflow';

import type { Job } from '../../service/types';
import type { UserErrorDetails } from '../../errors/UserError';
import type { ServiceErrorFacts } from '../../errors/ServiceError';
import type { WaitResult } from '../../jobs/waitForJob';
import type { HandedOver, OutputItem } from '../operations/operation';
import type { FinishedItemOptions } from '../toFinishedItem';

/** How a wait has ended, or what is known so far while `reason` is unset. All of it is JSON. */
export interface StoredResult extends Pick<WaitResult, 'job'> {
	reason?: WaitResult['reason'];
	fault?: ServiceErrorFacts;
}

/** A job that is waited for, or was. */
export type StoredWait = Pick<HandedOver, 'handedOver'> & { result: StoredResult };

/** One input item of the waiting node: done, not to be done, or still waited for. */
export type StoredItem =
	| { output: OutputItem }
	| { problem: { message: string; details: UserErrorDetails } }
	| StoredWait;

/**
 * A wait that goes on in n8n's database: what travels from round to round through the sub-workflow
 * that holds it.
 */
export interface DurableState {
	/** In the order of the waiting node's input items. */
	items: StoredItem[];
	/** Whether an item that fails leaves the others alone, as with Continue On Fail. */
	goesOn: boolean;
	/** All jobs that the waiting node has started. */
	startedJobIds: string[];
	/** The waiting node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	/** The execution that waits for it. */
	parentExecutionId: string;
	/** When this wait was handed over, by the clock. */
	since: number;
}

/** The item that travels. `waitSeconds` and `isDone` are what n8n's own nodes read of it. */
export type TravellingItem = {
	state: DurableState;
	waitSeconds: number;
	isDone: boolean;
	/** When n8n is killed during a look, it takes the item itself for what the sub-workflow gives. */
	error: string;
};

// What is shorter than 65 s, n8n would not put into its database; and it takes the time twice, so
// that 65 s can be a millisecond shorter.
const SHORTEST_SECONDS = 66;
const LONGEST_SECONDS = 300;
const ROUNDS_PER_AGE = 8;

/**
 * How long n8n waits until the next round, in seconds: longer as the wait goes on, not more often
 * than the user allows, and not beyond the first deadline.
 */
export function secondsToNextRound({ items, since }: DurableState, now: number): number {
	const waits = items.filter(isOpen).map(({ handedOver }) => handedOver);
	const ageSeconds = (now - since) / 1000 / ROUNDS_PER_AGE;
	const paced = Math.min(Math.max(ageSeconds, SHORTEST_SECONDS), LONGEST_SECONDS);
	const allowed = waits.map(({ options }) => (options.wait.pollIntervalMs ?? 0) / 1000);
	const toDeadlines = waits.map(({ watched }) => Math.ceil((watched.deadline - now) / 1000));
	const wished = Math.round(Math.max(paced, ...allowed));
	return Math.max(Math.min(wished, ...toDeadlines), SHORTEST_SECONDS);
}

/** The item that goes into the next round, or to the end. */
export function toTravellingItem(state: DurableState, now: number, isDone = false): TravellingItem {
	const jobIds = state.items.filter(isOpen).map(({ handedOver }) => handedOver.watched.jobId);
	return {
		state,
		waitSeconds: isDone ? 0 : secondsToNextRound(state, now),
		isDone,
		error: `n8n was ended while it looked at job ${jobIds.join(', ')}, and has given up the wait. Get the result with Job: Wait.`,
	};
}

/** Whether the item's job is still waited for. */
export function isOpen(item: StoredItem): item is StoredWait {
	return 'handedOver' in item && item.result.reason === undefined;
}

/** A job as it may be stored: the service's own answer can hold the address of a browser. */
export function toStoredJob(job: Job, { simplify }: FinishedItemOptions): Job {
	return simplify ? { ...job, body: {} } : job;
}

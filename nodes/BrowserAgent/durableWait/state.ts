import type { ProblemDetails } from '../../errors/NodeProblem';
import type { ServiceErrorFacts } from '../../errors/ServiceError';
import type { WaitResult } from '../../jobs/waitForJob';
import type { HandedOver, OutputItem } from '../operations/operation';

/** How a wait has ended, or what is known so far while `reason` is unset. All of it is JSON. */
export interface StoredResult extends Pick<WaitResult, 'job'> {
	reason?: WaitResult['reason'];
	fault?: ServiceErrorFacts;
}

/** One input item of the waiting node: done, not to be done, or still waited for. */
export type StoredItem =
	| { output: OutputItem }
	| { problem: { message: string; details: ProblemDetails } }
	| (HandedOver & { result: StoredResult });

/**
 * A wait that goes on in n8n's database: what travels from round to round through the sub-workflow
 * that holds it.
 */
export interface DurableState {
	/** In the order of the waiting node's input items. */
	items: StoredItem[];
	/** The execution that waits for it. */
	parentExecutionId: string;
	/** When this wait was handed over, by the clock. */
	since: number;
}

/** The item that travels. `waitSeconds` and `isDone` are what n8n's own nodes read of it. */
export type TravellingItem = { state: DurableState; waitSeconds: number; isDone: boolean };

const SHORTEST_SECONDS = 65;
const LONGEST_SECONDS = 300;
const ROUNDS_PER_AGE = 8;

/**
 * How long n8n waits until the next round, in seconds: longer as the wait goes on, and not beyond
 * the first deadline. Less than 65 s n8n would not put into its database.
 */
export function secondsToNextRound({ items, since }: DurableState, now: number): number {
	const ageSeconds = (now - since) / 1000 / ROUNDS_PER_AGE;
	const paced = Math.min(Math.max(ageSeconds, SHORTEST_SECONDS), LONGEST_SECONDS);
	const deadlines = items.filter(isOpen).map((item) => item.handedOver.watched.deadline);
	const toDeadline = Math.ceil((Math.min(...deadlines) - now) / 1000);
	return Math.max(Math.min(Math.round(paced), toDeadline), SHORTEST_SECONDS);
}

/** Whether the item's job is still waited for. */
export function isOpen(item: StoredItem): item is HandedOver & { result: StoredResult } {
	return 'handedOver' in item && item.result.reason === undefined;
}

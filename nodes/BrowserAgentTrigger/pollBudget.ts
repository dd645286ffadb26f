import type { IPollFunctions } from 'n8n-workflow';

import type { Runtime } from '../runtime';

// n8n's default engine gives a poll five minutes, its durable one about 36 s.
const DEFAULT_BUDGET_MS = 5 * 60_000;
// The rest is for calls that end a little late, and for n8n's own part.
const USED_SHARE = 0.8;

/** The clock's time by which a poll has to be done. */
export function pollDeadline(context: IPollFunctions, { clock }: Runtime): number {
	return clock.now() + budgetMs(context) * USED_SHARE;
}

/**
 * Whether this is the poll of an activation, which an error would prevent. It is the first one of
 * its context; the durable engine makes a new context for every poll, and gives it less time.
 */
export function isActivation(context: IPollFunctions, { knownPollContexts }: Runtime): boolean {
	const isFirst = !knownPollContexts.has(context);
	knownPollContexts.add(context);
	return isFirst && budgetMs(context) >= DEFAULT_BUDGET_MS;
}

/** Names a trigger node among those of this process. */
export function triggerName(context: IPollFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
}

/**
 * Runs a poll, or returns null while the node's last one is running: two at once would emit events
 * twice.
 */
export async function runExclusively<T>(
	context: IPollFunctions,
	{ activePolls }: Runtime,
	poll: () => Promise<T>,
): Promise<T | null> {
	const name = triggerName(context);
	if (activePolls.has(name)) return null;
	activePolls.add(name);
	try {
		return await poll();
	} finally {
		activePolls.delete(name);
	}
}

// Older versions of n8n have no such method.
function budgetMs(context: IPollFunctions): number {
	const ask = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs;
	return ask?.call(context) ?? DEFAULT_BUDGET_MS;
}

import type { IPollFunctions } from 'n8n-workflow';

import { currentClock } from '../async/clock';

// n8n's own engine lets a poll take five minutes, and its durable one about 36 s.
const ORDINARY_BUDGET_MS = 5 * 60_000;
const USED_SHARE = 0.8;

const polled = new WeakSet<IPollFunctions>();
const running = new Set<string>();

/** The time at which a poll has to be done, by the clock, with some left for n8n's own part. */
export function pollDeadline(context: IPollFunctions): number {
	return currentClock().now() + budgetMs(context) * USED_SHARE;
}

/**
 * Whether this is the poll that n8n runs when a workflow is published, or n8n starts: a throw in it
 * would keep the trigger out. It is the first one of its context; the durable engine makes a new
 * context for every poll, and gives it less time.
 */
export function isPublishing(context: IPollFunctions): boolean {
	const isFirst = !polled.has(context);
	polled.add(context);
	return isFirst && budgetMs(context) >= ORDINARY_BUDGET_MS;
}

/** Does `poll`, unless the node's last poll is still going on: two at once would tell events twice. */
export async function runAlone<T>(
	context: IPollFunctions,
	poll: () => Promise<T>,
): Promise<T | null> {
	const name = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
	if (running.has(name)) return null;
	running.add(name);
	try {
		return await poll();
	} finally {
		running.delete(name);
	}
}

// Older versions of n8n have no such method.
function budgetMs(context: IPollFunctions): number {
	const ask = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs;
	return ask?.call(context) ?? ORDINARY_BUDGET_MS;
}

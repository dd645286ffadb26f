import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../async/clock';

/** What n8n's default engine gives a poll; its durable one gives about 36 s. */
export const DEFAULT_BUDGET_MS = 5 * 60_000;
// The rest is for calls that end a little late, and for n8n's own part.
const USED_SHARE = 0.8;

/** The clock's time by which a poll has to be done. */
export function pollDeadline(context: IPollFunctions, clock: Clock): number {
	return clock.now() + pollBudgetMs(context) * USED_SHARE;
}

/** How long a poll may take, in ms. */
export function pollBudgetMs(context: IPollFunctions): number {
	// Older versions of n8n have no such method.
	const ask = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs;
	return ask?.call(context) ?? DEFAULT_BUDGET_MS;
}

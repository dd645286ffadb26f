import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../async/clock';

/** The time that n8n's default engine allows for a poll. Its durable engine allows about 36 s. */
export const DEFAULT_BUDGET_MS = 5 * 60_000;
// The rest is left for calls that end a little late, and for n8n itself.
const USED_SHARE = 0.8;

/** Returns when a poll that begins now must be over, in ms, from `Clock.elapsed()`. */
export function pollDeadline(context: IPollFunctions, clock: Clock): number {
	return clock.elapsed() + pollBudgetMs(context) * USED_SHARE;
}

/** Returns how long a poll may take, in ms. */
export function pollBudgetMs(context: IPollFunctions): number {
	// Older versions of n8n have no such method.
	const ask = (context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>).getPollBudgetMs;
	return ask?.call(context) ?? DEFAULT_BUDGET_MS;
}

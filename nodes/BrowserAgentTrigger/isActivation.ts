import type { IPollFunctions } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { DEFAULT_BUDGET_MS, pollBudgetMs } from './pollBudget';

/**
 * Whether this is the poll of an activation, which an error would prevent. It is the first one of
 * its context; the durable engine makes a new context for every poll, and gives it less time.
 */
export function isActivation(context: IPollFunctions, { knownPollContexts }: Runtime): boolean {
	const isFirst = !knownPollContexts.has(context);
	knownPollContexts.add(context);
	return isFirst && pollBudgetMs(context) >= DEFAULT_BUDGET_MS;
}

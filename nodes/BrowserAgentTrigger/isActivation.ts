import type { IPollFunctions } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { DEFAULT_BUDGET_MS, pollBudgetMs } from './pollBudget';

/**
 * Whether this poll is part of activating the workflow, which an error would prevent. Such a poll
 * is the first one of its context, and has the full time: n8n's durable engine makes a new context
 * for every poll, but gives the later ones less time. Records the context in the runtime.
 */
export function isActivation(context: IPollFunctions, { knownPollContexts }: Runtime): boolean {
	const isFirst = !knownPollContexts.has(context);
	knownPollContexts.add(context);
	return isFirst && pollBudgetMs(context) >= DEFAULT_BUDGET_MS;
}

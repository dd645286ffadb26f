import type { ItemOutcome, PreparedItem } from './types';

/** Whether an item already has its outcome, so that it need not run. */
export function hasOutcome(item: PreparedItem | ItemOutcome): item is ItemOutcome {
	return item.outcome !== undefined;
}

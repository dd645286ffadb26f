import type { PreparedItem, ProcessedItem } from './types';

/** Whether an item already has its outcome, so that it need not run. */
export function isProcessed(item: PreparedItem | ProcessedItem): item is ProcessedItem {
	return item.outcome !== undefined;
}

import type { PreparedItem, ProcessedItem } from './types';

/** Whether an item has its outcome already, so that it does not need to run. */
export function isProcessed(item: PreparedItem | ProcessedItem): item is ProcessedItem {
	return item.outcome !== undefined;
}

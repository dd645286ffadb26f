import type { PreparedItem, SettledItem } from './types';

/** Whether an item has its outcome already, so that it does not need to run. */
export function isSettled(item: PreparedItem | SettledItem): item is SettledItem {
	return item.outcome !== undefined;
}

import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { PreparedItem } from '../types';

/** How many items are read at a time by operations that change nothing. */
export const MAX_CONCURRENT_READS = 10;

/** One entry of the Operation dropdown: its fields, and what it does. */
export interface Operation {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/**
	 * Checks all parameters of an item and sends nothing: all items are prepared before the first one
	 * runs. An item that names several jobs becomes several. Throws a `UserError` that names the
	 * parameter.
	 */
	prepare(context: IExecuteFunctions, item: number): Preparation | Preparation[];
}

/** What an operation prepares of an item. */
export type Preparation = Omit<PreparedItem, 'itemIndex'>;

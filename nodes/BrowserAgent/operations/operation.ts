import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { ParameterContext } from '../../parameters/field';
import type { PreparedItem } from '../types';

/** How many items run at a time if the operation only reads. */
export const MAX_CONCURRENT_READS = 10;

/** One entry of the Operation dropdown: its fields and what it does. */
export interface Operation {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/**
	 * Reads and checks all parameters of an item, and sends nothing. Once all items are prepared,
	 * assignSessions.ts gives each a session, and runItems.ts calls the returned `execute`. An
	 * item with several job IDs yields one preparation per job. Throws a `UserError` that names the
	 * parameter.
	 */
	prepare(context: ParameterContext, itemIndex: number): Preparation | Preparation[];
}

/** What an operation returns for an item, before the item's index is added. */
export type Preparation = Omit<PreparedItem, 'itemIndex'>;

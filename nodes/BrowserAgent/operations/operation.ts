import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { ParameterContext } from '../../parameters/field';
import type { Task } from '../Run';

/** How many items run at a time if the operation only reads. */
export const MAX_CONCURRENT_READS = 10;

/** One entry of the Operation dropdown: its fields and what it does. */
export interface Operation {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/**
	 * Reads and checks all parameters of an item, and sends nothing: runItems.ts executes the task.
	 * An item with several job IDs has a task for each. Throws a `UserError` that names the
	 * parameter.
	 */
	prepare(context: ParameterContext, itemIndex: number): Task | Task[];
}

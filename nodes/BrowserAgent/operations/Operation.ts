import type { INodePropertyOptions } from 'n8n-workflow';

import type { Fields, Values } from '../../parameters/field';
import type { Task } from '../Run';

/** How many items run at a time if the operation only reads. */
export const MAX_CONCURRENT_READS = 10;

/** One entry of the Operation dropdown: its fields and what it does. */
export interface Operation<F extends Fields = Fields> {
	option: INodePropertyOptions;
	fields: F;
	/**
	 * Reads and checks all parameters of an item, and sends nothing: runItems.ts executes the task.
	 * An item with several job IDs has a task for each. A value that it doesn't ask for, e.g. that of
	 * a hidden field, is not evaluated. Throws a `NodeFailure` that names the parameter.
	 */
	prepare(values: Values<F>): Task | Task[];
}

/** Returns an operation as it is. Infers the types of the values of `prepare` from its fields. */
export function operation<F extends Fields>(definition: Operation<F>): Operation {
	return definition;
}

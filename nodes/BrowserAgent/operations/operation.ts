import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { CallSubject } from '../../errors/describeServiceError';
import type { PausePolicy } from '../../jobs/JobLedger';
import type { ItemResult, ItemRun } from '../run';

/** How many items are read at a time by operations that change nothing. */
export const MAX_CONCURRENT_READS = 10;

/** One item of an operation, or one of the jobs that an item names, checked and ready to run. */
export interface PreparedItem {
	/** Does it. An operation with several results may have one of them fail. */
	run(item: ItemRun): Promise<ItemResult[]>;
	/** What errors name. */
	subject?: CallSubject;
	/** How many such items run at a time; unset: one. */
	maxParallel?: number;
	/** Whether the wait is to be suspended while the job runs. */
	suspends?: boolean;
	/** The credits the account must have before a job is started; unset: any. */
	minimumCredits?: number;
	/** The credits below which the account's jobs are paused while waiting; unset: none. */
	stopBelowCredits?: number;
	/** When the item's job is paused; unset: never. */
	policy?: PausePolicy;
	/** What makes two calls of an agent's tool the same one. */
	parameters?: unknown;
}

/** One entry of the Operation dropdown: its fields, and what it does. */
export interface Operation {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/**
	 * Reads and checks all parameters of an item and sends nothing: all items are prepared before the
	 * first one runs. An item that names several jobs becomes several that run side by side. Throws a
	 * `UserError` that names the parameter.
	 */
	prepare(context: IExecuteFunctions, item: number): PreparedItem | PreparedItem[];
}

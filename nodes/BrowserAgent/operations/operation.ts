import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	Logger,
} from 'n8n-workflow';

import type { FileStream } from '../../client/download';
import type { ServiceClient } from '../../client/ServiceClient';
import type { CallSubject } from '../../errors/describeServiceError';
import type { Clock } from '../../jobs/clock';
import type { Progress } from '../progress';
import type { ItemMemory } from '../startedJobs';

/** What an operation works with, for one item. */
export interface ItemRun {
	client: ServiceClient;
	clock: Clock;
	logger: Logger;
	/** Aborted when the execution is stopped, or when another item has made the node fail. */
	signal: AbortSignal;
	/** Makes n8n's binary data of a stream. */
	storeFile: (stream: FileStream, filename: string, mimeType?: string) => Promise<IBinaryData>;
	progress: Progress;
	/** What an earlier try of this node run has left of the item's job. */
	memory: ItemMemory;
}

/** An output item, not yet paired. */
export interface OutputItem {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** One item of an operation, checked and ready to go. */
export interface PreparedItem {
	/** Does it. An operation with several results may have one fail, and say so in its place. */
	work(run: ItemRun): Promise<Array<OutputItem | { error: unknown }>>;
	/** What the error of a refused call names. */
	about?: CallSubject;
	/** How many such items may be under way at once; unset: one. */
	maxParallel?: number;
	/** The credits the account must have before anything is started; unset: not asked for. */
	minimumCredits?: number;
}

/**
 * One entry of the Operation dropdown. `prepare` reads and checks all fields of an item and sends
 * nothing: all items of a batch are prepared before the first one's work begins.
 */
export interface Operation {
	parameters: INodeProperties[];
	/** Throws a `NodeProblem` that names the field that cannot be used. */
	prepare(context: IExecuteFunctions, itemIndex: number): PreparedItem;
}

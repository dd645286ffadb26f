import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	Logger,
} from 'n8n-workflow';

import type { FileStream } from '../../service/download';
import type { ServiceClient } from '../../service/ServiceClient';
import type { Job } from '../../service/types';
import type { CallSubject } from '../../errors/describeServiceError';
import type { Clock } from '../../async/clock';
import type { WatchedJob } from '../concludeWait';
import type { Progress } from '../progress';
import type { ItemMemory } from '../startedJobs';
import type { FinishedItemOptions } from '../toFinishedItem';

/** How many items are read at once by operations that change nothing. */
export const READS_AT_ONCE = 10;

/** What all items of a node run share. */
export interface SharedRun {
	client: ServiceClient;
	clock: Clock;
	logger: Logger;
	/** Aborted when the execution is stopped, or when another item has made the node fail. */
	signal: AbortSignal;
	/** Makes n8n's binary data of a stream. */
	storeFile: (stream: FileStream, filename: string, mimeType?: string) => Promise<IBinaryData>;
	progress: Progress;
}

/** What an operation works with, for one item. */
export interface ItemRun extends SharedRun {
	/** What an earlier try of this node run has left of the item's job. */
	memory: ItemMemory;
	/** Aborted when the wait is to go on without holding the process; unset: it stays. */
	leave?: AbortSignal;
}

/** An output item, not yet paired. */
export interface OutputItem {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** A job whose wait goes on elsewhere. All of it can be written as JSON. */
export interface HandedOver {
	handedOver: { watched: WatchedJob; options: FinishedItemOptions };
	/** The job, if it was seen before. */
	lastSeen?: Job;
}

/** One item of an operation, checked and ready to go. */
export interface PreparedItem {
	/** Does it. An operation with several results may have one fail, and say so in its place. */
	work(run: ItemRun): Promise<Array<OutputItem | HandedOver | { error: unknown }>>;
	/** What the error of a refused call names. */
	about?: CallSubject;
	/** How many such items may be under way at once; unset: one. */
	maxParallel?: number;
	/** Whether the user wants its wait to go on without holding the process. */
	isDurable?: boolean;
	/** The credits the account must have before anything is started; unset: not asked for. */
	minimumCredits?: number;
}

/**
 * One entry of the Operation dropdown. `prepare` reads and checks all fields of an item and sends
 * nothing: all items of a batch are prepared before the first one's work begins.
 */
export interface Operation {
	parameters: INodeProperties[];
	/** Throws a `UserError` that names the field that cannot be used. */
	prepare(context: IExecuteFunctions, itemIndex: number): PreparedItem;
}

import type { IBinaryData, Logger } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { ByteStream } from '../service/httpResponse';
import type { ServiceClient } from '../service/ServiceClient';
import type { LedgerEntry } from './LedgerEntry';
import type { RefusedStarts } from './refusedStarts';

/**
 * Reads a stream to its end and stores it as binary data. `mimeType` is unset if the response had
 * no useful type.
 */
export type StoreFile = (
	stream: ByteStream,
	filename: string,
	mimeType?: string,
) => Promise<IBinaryData>;

/** Everything that one run of the node needs to work with the job of one item. */
export interface JobSession {
	client: ServiceClient;
	entry: LedgerEntry;
	clock: Clock;
	logger: Logger;
	storeFile: StoreFile;
	/** Shows the user a hint beside the output. */
	showHint(message: string): void;
	/** The execution's ID, which is also the name of its group in the account's queues. */
	executionId: string;
	/** The run's `signal`: aborted when the run ends, for whatever reason. */
	signal: AbortSignal;
	/** Why later starts of the run would be refused, for all its items. */
	refusedStarts: RefusedStarts;
	/** The run's waits (`JobWait`) that are in progress in this process, for all its items. */
	waitsInProgress: Set<object>;
	/** Called when the wait for the job begins. */
	onWaiting?: () => void;
	/**
	 * Ends the wait for the job: aborted with `signal`, and when the wait should be suspended. The
	 * same as `signal` in a run that suspends no waits.
	 */
	waitSignal: AbortSignal;
	/**
	 * A wait with less time left than this, in ms, is not suspended, because it would be resumed too
	 * late. Has no effect in a run that suspends no waits.
	 */
	minLeftMs: number;
}

import { anySignal } from '../async/abortSignals';
import type { CreditMonitor } from '../jobs/CreditMonitor';
import type { JobContext } from '../jobs/JobContext';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { createStoreFile } from '../output/fileItem';
import type { Run } from './types';

/** What an item's job needs. Its wait is suspended when `suspendSignal` is aborted. */
export function createContext(
	run: Run,
	entry: LedgerEntry,
	credits: CreditMonitor,
	suspendSignal?: AbortSignal,
): JobContext {
	const { clock, context, logger, signal } = run;
	const { client } = credits;
	return {
		client,
		scheduler: run.schedulerOf(client.account),
		entry,
		credits,
		clock,
		logger,
		storeFile: createStoreFile(context.helpers),
		execution: context.getExecutionId() ?? '',
		signal,
		waitSignal: suspendSignal ? anySignal(credits.signal, suspendSignal) : credits.signal,
	};
}

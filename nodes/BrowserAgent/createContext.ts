import { anySignal } from '../async/abortSignals';
import type { JobContext } from '../jobs/JobContext';
import type { LedgerEntry, LedgerJob } from '../jobs/LedgerEntry';
import type { ServiceClient } from '../service/ServiceClient';
import { highlightJob } from './highlightedData';
import { showHint } from './showHint';
import type { PreparedItem, Run } from './types';

interface ContextOptions extends Pick<PreparedItem, 'policy' | 'waits'> {
	/** Suspends the wait for the job. */
	suspendSignal?: AbortSignal;
}

/** What an item's job needs. */
export function createContext(
	run: Run,
	entry: LedgerEntry,
	client: ServiceClient,
	{ policy = 'never', waits = false, suspendSignal }: ContextOptions,
): JobContext {
	const { clock, context, credits, execution, logger, signal } = run;
	const { id, name } = context.getWorkflow();
	const description = `execution ${execution}, workflow ${id} '${name}', node '${context.getNode().name}'`;
	const onStarted = ({ job_id }: LedgerJob) => {
		logger.info(`Browser Agent started job ${job_id} (${description})`);
		highlightJob(run, job_id);
	};
	entry.connect({ client, policy, waits, signal, onStarted });
	for (const attempt of entry.attempts) attempt.hideAddresses(client.redactor);
	return {
		client,
		entry,
		credits,
		clock,
		logger,
		storeFile: context.helpers.prepareBinaryData,
		showHint: (message) => showHint(context, message),
		execution,
		signal,
		waitSignal: suspendSignal ? anySignal(signal, suspendSignal) : signal,
	};
}

import { anySignal } from '../async/abortSignals';
import type { JobSession } from '../jobs/JobSession';
import type { LedgerEntry, LedgerJob } from '../jobs/LedgerEntry';
import type { ServiceClient } from '../service/ServiceClient';
import { highlightJob } from './highlightedData';
import { showHint } from './showHint';
import type { PreparedItem, Run } from './types';

interface SessionOptions extends Pick<PreparedItem, 'policy' | 'waits'> {
	/** Suspends the wait for the job. */
	suspendSignal?: AbortSignal;
}

/**
 * Lets a run work with an item's job, by this client: from now on the job belongs to the run in the
 * ledger, and when it is started, n8n's log and the execution's highlighted data name it.
 */
export function openJobSession(
	run: Run,
	entry: LedgerEntry,
	client: ServiceClient,
	{ policy = 'never', waits = false, suspendSignal }: SessionOptions,
): JobSession {
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

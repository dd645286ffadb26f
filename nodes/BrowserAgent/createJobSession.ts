import type { JobSession } from '../jobs/JobSession';
import type { LedgerEntry, LedgerJob } from '../jobs/LedgerEntry';
import { logFinished } from '../jobs/logFinished';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { highlightJob } from './highlightJob';
import { MIN_LEFT_MS } from './suspend/timing';
import type { PreparedItem, Run } from './types';

/**
 * Creates the session in which a run works with an item's job. Makes the run the owner of the
 * ledger's entry, unless an identical tool call is already working with it. When the owner's job
 * starts, it is named in n8n's log and in the execution's highlighted data. Its end is logged, too.
 */
export function createJobSession(
	run: Run,
	entry: LedgerEntry,
	client: ServiceClient,
	{ pausePolicy = 'never', waitsForEnd = false }: Pick<PreparedItem, 'pausePolicy' | 'waitsForEnd'>,
): JobSession {
	const { clock, context, executionId, logger, signal, suspension } = run;
	const onStarted = ({ job_id }: LedgerJob) => {
		logger.info(`Browser Agent started job ${job_id}`, { jobId: job_id });
		highlightJob(run, job_id);
	};
	const onFinished = (job: Job, durationMs?: number) =>
		logFinished(logger, 'Browser Agent', client.redactor, job, durationMs);
	entry.claim({ client, pausePolicy, waitsForEnd, signal, onStarted, onFinished });
	for (const attempt of entry.attempts) attempt.hideCdpUrls(client.redactor);
	return {
		client,
		entry,
		clock,
		logger,
		storeFile: context.helpers.prepareBinaryData,
		showHint: run.showHint,
		executionId,
		signal,
		refusedStarts: run.refusedStarts,
		waitsInProgress: run.waitsInProgress,
		waitSignal: suspension?.waitSignal ?? signal,
		minLeftMs: MIN_LEFT_MS,
	};
}

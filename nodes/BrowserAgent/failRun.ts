import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { pauseJobs } from '../jobs/pauseJob';
import { addJobsToError } from './addJobsToError';
import { shouldPause } from './shouldPause';
import type { EndReason } from './RunEnd';
import type { Run } from './types';

/**
 * How long a run that ends may take for starts and pauses to be answered, so that its error can
 * name them.
 */
const GRACE_MS: Record<EndReason, number> = {
	failed: 5_000,
	// A stopped execution has to end within a second.
	stopped: 800,
	stoppedBefore: 0,
};

/**
 * Ends a run: lets starts be answered, pauses jobs, and returns the error with all that the ledger
 * knows.
 */
export async function failRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	const { ledger } = run;
	run.end.finish();
	const done = new AbortController();
	const grace = waitForGrace(run, done.signal);

	const starts = ledger.inState('sending').map(async ({ request }) => await request);
	await Promise.race([grace, Promise.all(starts)]);
	pauseWhatStartsLater(run);

	// If the execution is stopped meanwhile, more jobs are to be paused.
	let reason: EndReason;
	do {
		({ reason } = run.end);
		await Promise.race([grace, pauseByPolicy(run)]);
	} while (run.end.reason !== reason);
	done.abort();
	return toNodeError(addJobsToError(run, toUserError(error), reason), run);
}

/** Jobs whose starts are answered only after the run has ended. */
function pauseWhatStartsLater(run: Run): void {
	const { ledger, logger } = run;
	for (const entry of ledger.inState('sending')) {
		void entry.request?.then(async () => {
			const { jobId } = entry.known;
			if (jobId === undefined || entry.isInUse) return;
			logger.warn(`Browser Agent started job ${jobId} after its execution had ended`);
			await pauseByPolicy(run);
		});
	}
}

async function pauseByPolicy(run: Run): Promise<void> {
	const { reason } = run.end;
	await pauseJobs(
		run,
		run.ledger.entries.filter((entry) => shouldPause(run, entry, reason)),
	);
}

/** Resolves when the run has to end; a Stop makes that sooner. */
async function waitForGrace({ clock, end }: Run, doneSignal: AbortSignal): Promise<void> {
	if (end.reason === 'failed') {
		await clock.sleep(GRACE_MS.failed, anySignal(end.stopSignal, doneSignal));
	}
	if (end.reason !== 'failed') await clock.sleep(GRACE_MS[end.reason], doneSignal);
}

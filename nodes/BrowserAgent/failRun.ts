import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { pauseJobs } from '../jobs/pauseJob';
import { addJobsToError } from './addJobsToError';
import { shouldPause } from './shouldPause';
import type { FailReason } from './RunLifetime';
import type { Run } from './types';

/**
 * How long to wait for responses to starts and pauses, in ms, so that the error can name the jobs.
 */
const GRACE_MS: Record<FailReason, number> = {
	failed: 5_000,
	// A stopped execution must end within a second.
	stopped: 800,
	stoppedBeforeRun: 0,
};

/**
 * Ends a run that fails: waits briefly for pending starts, pauses jobs as their policies say, and
 * returns n8n's error, extended with what the ledger knows about the jobs. If the response to a
 * start arrives later and the job's policy says so, the job is paused in the background.
 */
export async function failRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	const { ledger } = run;
	run.lifetime.end();
	const done = new AbortController();
	const grace = waitForGracePeriod(run, done.signal);

	const starts = ledger.inState('sending').map(async (entry) => await entry.pendingRequest);
	await Promise.race([grace, Promise.all(starts)]);
	pauseWhatStartsLater(run);

	// If the execution is stopped in the meantime, more jobs must be paused.
	let reason: FailReason;
	do {
		reason = run.lifetime.failReason;
		await Promise.race([grace, pauseByPolicy(run)]);
	} while (run.lifetime.failReason !== reason);
	done.abort();
	return toNodeError(addJobsToError(run, toUserError(error), reason), run);
}

/** Pauses jobs whose starts are answered only after the run has ended. */
function pauseWhatStartsLater(run: Run): void {
	const { ledger, logger } = run;
	for (const entry of ledger.inState('sending')) {
		void entry.pendingRequest?.then(async () => {
			const { jobId } = entry.known;
			if (jobId === undefined || entry.isInUse) return;
			logger.warn(`Browser Agent started job ${jobId} after its execution had ended`, { jobId });
			await pauseByPolicy(run);
		});
	}
}

async function pauseByPolicy(run: Run): Promise<void> {
	const { failReason } = run.lifetime;
	await pauseJobs(
		run,
		run.ledger.entries.filter((entry) => shouldPause(run, entry, failReason)),
	);
}

/** Resolves when the run must end, which is sooner if the execution is stopped. */
async function waitForGracePeriod(
	{ clock, lifetime }: Run,
	doneSignal: AbortSignal,
): Promise<void> {
	if (lifetime.failReason === 'failed') {
		await clock.sleep(GRACE_MS.failed, anySignal(lifetime.stopSignal, doneSignal));
	}
	if (lifetime.failReason !== 'failed') {
		await clock.sleep(GRACE_MS[lifetime.failReason], doneSignal);
	}
}

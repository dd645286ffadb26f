import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import { toNodeError, toUserError } from '../errors/toNodeError';
import { pauseJobs } from '../jobs/pauseJob';
import { isToBePaused } from './isToBePaused';
import type { Run } from './types';
import { withJobs } from './withJobs';

// A stopped execution has to end within a second.
const STOP_GRACE_MS = 800;
// How long starts may take to be answered, so that the error can name their jobs.
const FAILURE_GRACE_MS = 5_000;

/** Ends a run: lets starts be answered, pauses jobs, and returns the error with all that the ledger knows. */
export async function failRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	const { ledger, logger } = run;
	const userError = toUserError(error);
	// A failed run may be stopped while it ends.
	const isStop = () => run.isStopped() || userError.details.isStop === true;
	run.end();
	const end = new AbortController();
	const grace = waitForGrace(run, isStop, end.signal);
	const pauseWanted = async () => {
		const entries = ledger.entries.filter((entry) => isToBePaused(run, entry, isStop()));
		await pauseJobs(run, entries);
	};
	const starts = ledger.inState('sending').map(async ({ request }) => await request);
	await Promise.race([grace, Promise.all(starts)]);
	for (const entry of ledger.inState('sending')) {
		void entry.request?.then(async () => {
			const { jobId } = entry.facts;
			if (jobId === undefined || entry.isInUse) return;
			logger.warn(`Browser Agent started job ${jobId}, but its execution had ended meanwhile`);
			await pauseWanted();
		});
	}
	let wasStop: boolean;
	do {
		wasStop = isStop();
		await Promise.race([grace, pauseWanted()]);
	} while (isStop() !== wasStop);
	end.abort();
	return toNodeError(withJobs(run, userError, wasStop), run.errorContext);
}

async function waitForGrace(
	{ context, clock, beganStopped }: Run,
	isStop: () => boolean,
	endSignal: AbortSignal,
): Promise<void> {
	const stopSignal = anySignal(context.getExecutionCancelSignal(), endSignal);
	if (!isStop()) await clock.sleep(FAILURE_GRACE_MS, stopSignal);
	if (isStop() && !beganStopped) await clock.sleep(STOP_GRACE_MS, endSignal);
}

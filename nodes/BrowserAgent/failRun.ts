import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import { toNodeError } from '../errors/toNodeError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { addJobsToError, addJobToError } from '../jobs/fate';
import { pauseJobs, shouldPause } from '../jobs/pause';
import type { TrackedJob } from '../jobs/TrackedJob';
import { jobsIn, jobsOf, worksIn, type Item, type Run } from './Run';

/**
 * How long to wait for responses to starts and pauses, in ms, so that the error can name the jobs.
 */
const GRACE_MS = 5_000;
// A stopped execution must end within a second.
const GRACE_AFTER_STOP_MS = 800;

/**
 * Ends a run that fails: waits briefly for pending starts, pauses jobs as their policies say, and
 * returns n8n's error, extended with what its jobs are doing now. If the response to a start
 * arrives later and the job's policy says so, the job is paused in the background.
 */
export async function failRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	run.lifetime.end();
	const done = new AbortController();
	const grace = waitForGracePeriod(run, done.signal);

	const starts = startingIn(run).map(async ({ job }) => await job.pendingRequest);
	await Promise.race([grace, Promise.all(starts)]);
	pauseWhatStartsLater(run);

	// If the execution is stopped in the meantime, more jobs must be paused.
	const { stopped } = run.lifetime;
	let wasStopped: boolean;
	do {
		wasStopped = stopped.aborted;
		await Promise.race([grace, pauseByPolicy(run)]);
	} while (stopped.aborted !== wasStopped);
	done.abort();

	const own = jobsOf(run.failedItem);
	const extended = addJobsToError(addJobToError(toNodeFailure(error), own), jobsIn(run), {
		own,
		isStop: wasStopped,
		isTool: run.isTool,
	});
	return toNodeError(extended, run);
}

/** Pauses jobs whose starts are answered only after the run has ended. */
function pauseWhatStartsLater(run: Run): void {
	for (const { job, item } of startingIn(run)) {
		void job.pendingRequest?.then(async () => {
			const { job_id: jobId } = job.record;
			// By a retry, or an equal call.
			const isInUse = [...(item.entry?.users ?? [])].some((user) => user !== run);
			if (jobId === undefined || isInUse) return;
			run.logger.warn(`Browser Agent started job ${jobId} after its execution had ended`, {
				jobId,
			});
			await pauseByPolicy(run);
		});
	}
}

async function pauseByPolicy(run: Run): Promise<void> {
	const reason = run.lifetime.stopped.aborted ? 'stopped' : 'failed';
	await pauseJobs(worksIn(run).filter((work) => shouldPause(work, reason)));
}

function startingIn({ items }: Run): Array<{ item: Item; job: TrackedJob }> {
	return items.flatMap((item) =>
		jobsOf(item)
			.filter(({ record }) => record.state === 'starting')
			.map((job) => ({ item, job })),
	);
}

/** Resolves when the run must end, which is sooner if the execution is stopped. */
async function waitForGracePeriod(
	{ clock, lifetime }: Run,
	doneSignal: AbortSignal,
): Promise<void> {
	const { stopped, beganStopped } = lifetime;
	await clock.sleep(GRACE_MS, anySignal(stopped, doneSignal));
	if (stopped.aborted && !beganStopped) await clock.sleep(GRACE_AFTER_STOP_MS, doneSignal);
}

import type { JobSession } from '../../jobs/JobSession';
import type { JobWait, WaitResult } from '../../jobs/JobWait';
import { waitForJob } from '../../jobs/waitForJob';
import type { ItemOptions } from '../../parameters/waiting';
import { MIN_LEFT_MS } from '../suspend/timing';
import type { ItemOutcome } from '../types';
import { toItem } from './toItem';

/**
 * Waits for an item's job and returns its item, or the wait if it is suspended. Throws a
 * `UserError` that names the job.
 */
export async function finishJob(
	session: JobSession,
	wait: JobWait,
	itemOptions: ItemOptions,
): Promise<ItemOutcome[]> {
	const result = await waitToEnd(session, wait);
	return [await toItem(session, wait, result, itemOptions)];
}

/** Waits for a job in this process until the wait is over or suspended. Never rejects. */
export async function waitToEnd(session: JobSession, wait: JobWait): Promise<WaitResult> {
	const { state, job } = session.entry.known;
	// A retry need not ask again for what an earlier run has seen.
	if (state === 'finished' && job !== undefined) return { reason: 'status', job };

	session.onWaiting?.();
	const result = await waitForJob(session, wait);
	const isLate = wait.deadline - session.clock.now() < MIN_LEFT_MS;
	if (result.reason !== 'suspended' || !isLate) return result;
	const lastWait = { ...wait, isSuspended: false };
	return await waitForJob({ ...session, waitSignal: session.signal }, lastWait);
}

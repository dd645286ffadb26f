import type { JobSession } from './JobSession';
import type { JobWait, WaitResult } from './JobWait';
import { waitForJob } from './waitForJob';

/** Waits for a job in this process until the wait is over or suspended. Never rejects. */
export async function waitToEnd(session: JobSession, wait: JobWait): Promise<WaitResult> {
	const { state, job } = session.entry.known;
	// A retry need not ask again for what an earlier run has seen.
	if (state === 'finished' && job !== undefined) return { reason: 'status', job };

	session.onWaiting?.();
	const result = await waitForJob(session, wait);
	const isLate = wait.deadline - session.clock.now() < session.minLeftMs;
	if (result.reason !== 'suspended' || !isLate) return result;
	const lastWait = { ...wait, isSuspended: false };
	return await waitForJob({ ...session, waitSignal: session.signal }, lastWait);
}

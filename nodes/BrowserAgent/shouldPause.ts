import type { JobState } from '../jobs/jobStateMachine';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import type { FailReason } from './RunLifetime';
import type { Run } from './types';

const MAY_RUN: JobState[] = ['running', 'pauseUnclear'];
// A user may have let the job continue since it was last seen. After a Stop, such jobs must be
// paused, too.
const MAY_STILL_RUN: JobState[] = ['userPaused', 'takenOver'];

/** Whether to pause an entry's job when its run fails for this reason. */
export function shouldPause(run: Run, entry: LedgerEntry, reason: FailReason): boolean {
	const isStopped = reason !== 'failed';
	const { state, pausePolicy, isInUse } = entry;
	if (!MAY_RUN.includes(state) && !(isStopped && MAY_STILL_RUN.includes(state))) return false;
	if (isStopped) return pausePolicy !== 'never';
	return pausePolicy === 'onEarlyEnd' && !isInUse && !isRetryComing(run);
}

// n8n doesn't tell the node which retry this is, so the ledger counts the runs.
function isRetryComing({ context, isTool, ledger }: Run): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const tries = Math.min(5, Math.max(2, maxTries));
	return retryOnFail === true && !isTool && ledger.runCount < tries;
}

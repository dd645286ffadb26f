import type { JobState } from '../jobs/jobStates';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import type { EndReason } from './RunEnd';
import type { Run } from './types';

const MAY_RUN: JobState[] = ['running', 'resumeUnclear'];
// After a Stop, these are tried as well: the last pause failed, or a user may have let the job go on
// since it was last seen.
const MAY_RUN_AFTER_ALL: JobState[] = ['pauseFailed', 'userPaused', 'takenOver'];

/** Whether an entry's job should be paused when its run ends early. */
export function shouldPause(run: Run, entry: LedgerEntry, reason: EndReason): boolean {
	const isStop = reason !== 'failed';
	const { state, policy, isInUse } = entry;
	if (!MAY_RUN.includes(state) && !(isStop && MAY_RUN_AFTER_ALL.includes(state))) return false;
	if (isStop) return policy !== 'never';
	return policy === 'always' && !isInUse && !isRetryComing(run);
}

// n8n does not say how often it has run the node.
function isRetryComing({ context, isTool, ledger }: Run): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const tries = Math.min(5, Math.max(2, maxTries));
	return retryOnFail === true && !isTool && ledger.store.tryCount < tries;
}

import type { JobState } from '../jobs/jobStates';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import type { EndReason } from './RunEnd';
import type { Run } from './types';

const MAY_RUN: JobState[] = ['running', 'resumeUnclear'];
// A Stop is worth another request: whoever has paused or taken over a job may have let it go on
// since it was seen.
const MAY_RUN_AFTER_ALL: JobState[] = ['pauseFailed', 'userPaused', 'takenOver'];

/** Whether the job of an entry is paused when its run has ended early. */
export function isToBePaused(run: Run, entry: LedgerEntry, reason: EndReason): boolean {
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

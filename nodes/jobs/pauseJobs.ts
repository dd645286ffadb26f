import { limitConcurrency } from '../async/limitConcurrency';
import type { JobLedger } from './JobLedger';
import type { LedgerEntry } from './LedgerEntry';
import { pauseJob, type PauseContext } from './pauseJob';

const MAX_CONCURRENT = 10;

/** Pauses several jobs, a few at a time. */
export async function pauseJobs(context: PauseContext, entries: LedgerEntry[]): Promise<void> {
	await limitConcurrency(entries, MAX_CONCURRENT, async (entry) => await pauseJob(context, entry));
}

/** Pauses the running jobs of accounts that are low on credits, including those whose wait is over. */
export async function pauseForCredits(context: PauseContext, ledger: JobLedger): Promise<void> {
	const entries = ledger.inState('running').filter((entry) => ledger.isLowOnCredits(entry));
	await pauseJobs(context, entries);
}

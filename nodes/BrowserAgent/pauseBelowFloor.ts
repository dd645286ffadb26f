import { untilAborted } from '../async/abortSignals';
import { limitConcurrency } from '../async/limitConcurrency';
import { pauseJob } from '../jobs/pauseJob';
import { isPaused } from '../jobs/status';
import type { Run } from './run';

const MAX_CONCURRENT_PAUSES = 10;

/** Pauses all jobs that still run on accounts with too few credits, also those that are not waited for any more. */
export async function pauseBelowFloor(run: Run): Promise<void> {
	const { ledger, signal } = run;
	const entries = ledger.inState('running').filter(({ client, job }) => {
		return client && ledger.lowAccounts.has(client.account) && !(job && isPaused(job));
	});
	const pausing = limitConcurrency(entries, MAX_CONCURRENT_PAUSES, async (entry) => {
		return await pauseJob(run, entry);
	});
	await untilAborted(pausing, signal);
}

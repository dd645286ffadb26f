import type { LedgerEntry, LedgerJob, PausePolicy } from '../jobs/LedgerEntry';
import type { ServiceClient } from '../service/ServiceClient';
import { highlightJob } from './highlightedData';
import type { Run } from './types';

/** Lets a run be told of the job of an entry, and the entry know whose it is. */
export function connectEntry(
	{ context, logger }: Run,
	entry: LedgerEntry,
	client: ServiceClient,
	policy: PausePolicy = entry.policy,
): void {
	const onStarted = ({ job_id }: LedgerJob) => {
		logger.info(`Browser Agent started job ${job_id}`);
		highlightJob({ context, logger }, job_id);
	};
	entry.connect({ client, policy, onStarted });
}

import type { JobSession } from '../../jobs/JobSession';
import type { JobWait } from '../../jobs/JobWait';
import { waitForJob } from '../../jobs/waitForJob';
import type { ItemOptions } from '../../parameters/waiting';
import type { Outcome } from '../types';
import { finishItem } from './finishItem';

/**
 * Waits for an item's job and returns its item, or the wait if it is suspended. Throws a
 * `UserError` that names the job.
 */
export async function waitForItem(
	session: JobSession,
	wait: JobWait,
	itemOptions: ItemOptions,
): Promise<Outcome[]> {
	const result = await waitForJob(session, wait);
	return [await finishItem(session, wait, result, itemOptions)];
}

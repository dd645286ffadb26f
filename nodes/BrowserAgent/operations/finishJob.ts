import type { JobSession } from '../../jobs/JobSession';
import type { JobWait } from '../../jobs/JobWait';
import { waitToEnd } from '../../jobs/waitToEnd';
import type { ItemOptions } from '../../parameters/waiting';
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

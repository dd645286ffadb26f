import { UserError } from '../../errors/UserError';
import { ServiceError } from '../../errors/ServiceError';
import { concludeWait } from '../concludeWait';
import type { SharedRun, OutputItem } from '../operations/operation';
import { toFinishedItem } from '../toFinishedItem';
import type { StoredItem } from './state';

/**
 * What comes of one item of a durable wait that is over: the same as if the node had waited itself.
 * A job that is still waited for is given up. Throws the item's `UserError`.
 */
export async function finish(run: SharedRun, item: StoredItem): Promise<OutputItem> {
	if ('output' in item) return item.output;
	if ('problem' in item) throw new UserError(item.problem.message, item.problem.details);

	const { watched, options } = item.handedOver;
	const { reason = 'stopped', job, fault } = item.result;
	const result = { reason, job, fault: fault && new ServiceError(fault) };
	return await toFinishedItem(run, await concludeWait(run, watched, options.wait, result), options);
}

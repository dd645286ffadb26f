import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { findOperation } from './operations';
import type { PreparedItem } from './operations/operation';

/** What an input item has to run, or the reason why it can't. */
export type Prepared = { itemIndex: number } & (PreparedItem | { error: UserError });

/** Reads and checks the parameters of all items. Sends nothing, and never throws. */
export function prepareItems(context: IExecuteFunctions): Prepared[] {
	return context.getInputData().flatMap((_, itemIndex): Prepared | Prepared[] => {
		try {
			const resource = context.getNodeParameter('resource', itemIndex);
			// Of a resource that doesn't exist, n8n knows no operation.
			const operation = context.getNodeParameter('operation', itemIndex, '');
			const prepared = findOperation(resource, operation).prepare(context, itemIndex);
			return [prepared].flat().map((one) => ({ ...one, itemIndex }));
		} catch (error) {
			return { itemIndex, error: toUserError(error) };
		}
	});
}

/** The items that are ready, of those given. */
export function readyItems(prepared: Prepared[]): PreparedItem[] {
	return prepared.flatMap((item) => ('error' in item ? [] : item));
}

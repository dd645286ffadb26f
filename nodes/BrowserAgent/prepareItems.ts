import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { findOperation } from './operations';
import type { PreparedItem } from './operations/operation';

/** An item that is ready to run, or the reason why it can't. */
export type Prepared = PreparedItem | { error: UserError };

/** Reads and checks the parameters of all items. Sends nothing, and never throws. */
export function prepareItems(context: IExecuteFunctions): Prepared[] {
	return context.getInputData().map((_, itemIndex) => {
		try {
			const resource = context.getNodeParameter('resource', itemIndex);
			// Of a resource that doesn't exist, n8n knows no operation.
			const operation = context.getNodeParameter('operation', itemIndex, '');
			return findOperation(resource, operation).prepare(context, itemIndex);
		} catch (error) {
			return { error: toUserError(error) };
		}
	});
}

/** The items that are ready, of those given. */
export function readyItems(prepared: Prepared[]): PreparedItem[] {
	return prepared.filter((item): item is PreparedItem => !('error' in item));
}

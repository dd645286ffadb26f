import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import { findOperation } from './operations';
import type { PreparedItem, SettledItem } from './types';

/** Reads and checks the parameters of all items. Sends nothing, and never throws. */
export function prepareItems(context: IExecuteFunctions): Array<PreparedItem | SettledItem> {
	return context.getInputData().flatMap((_, itemIndex): Array<PreparedItem | SettledItem> => {
		try {
			const resource = context.getNodeParameter('resource', itemIndex);
			// n8n knows no operation of a resource that doesn't exist.
			const operation = context.getNodeParameter('operation', itemIndex, '');
			const prepared = findOperation(resource, operation).prepare(context, itemIndex);
			return [prepared].flat().map((one) => ({ itemIndex, ...one }));
		} catch (error) {
			return [{ itemIndex, outcome: { kind: 'failed', error: toUserError(error) } }];
		}
	});
}

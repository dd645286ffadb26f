import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import { findOperation } from './operations';
import type { PreparedItem } from './operations/operation';
import type { RunResult } from './run';

/** What an input item has to run. */
export interface Prepared {
	itemIndex: number;
	prepared: PreparedItem;
}

/** Reads and checks the parameters of all items. Sends nothing, and never throws. */
export function prepareItems(context: IExecuteFunctions): Array<Prepared | RunResult> {
	return context.getInputData().flatMap((_, itemIndex): Array<Prepared | RunResult> => {
		try {
			const resource = context.getNodeParameter('resource', itemIndex);
			// Of a resource that doesn't exist, n8n knows no operation.
			const operation = context.getNodeParameter('operation', itemIndex, '');
			const all = findOperation(resource, operation).prepare(context, itemIndex);
			return [all].flat().map((prepared) => ({ itemIndex, prepared }));
		} catch (error) {
			return [{ itemIndex, result: { error: toUserError(error) } }];
		}
	});
}

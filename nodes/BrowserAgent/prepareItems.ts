import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import type { ParameterContext } from '../parameters/field';
import { findOperation } from './operations';
import { showHint } from './showHint';
import type { ItemOutcome, PreparedItem } from './types';

/**
 * Reads and checks the parameters of all items, and shows each hint about them once. Sends nothing
 * and never throws: an item with an error gets that as its outcome.
 */
export function prepareItems(context: IExecuteFunctions): Array<PreparedItem | ItemOutcome> {
	const hints = new Set<string>();
	const parameters: ParameterContext = {
		getNodeParameter: (name, itemIndex, fallback) =>
			context.getNodeParameter(name, itemIndex, fallback),
		showHint: (message) => hints.add(message),
	};
	const items = context.getInputData().flatMap((_, itemIndex) => {
		return prepareItem(parameters, itemIndex);
	});
	for (const hint of hints) showHint(context, hint);
	return items;
}

function prepareItem(
	parameters: ParameterContext,
	itemIndex: number,
): Array<PreparedItem | ItemOutcome> {
	try {
		const resource = parameters.getNodeParameter('resource', itemIndex);
		// n8n throws for a parameter that an unknown resource doesn't have; the fallback prevents that.
		const operation = parameters.getNodeParameter('operation', itemIndex, '');
		const prepared = findOperation(resource, operation).prepare(parameters, itemIndex);
		const preparations = Array.isArray(prepared) ? prepared : [prepared];
		return preparations.map((preparation) => ({ itemIndex, ...preparation }));
	} catch (error) {
		return [{ itemIndex, outcome: { kind: 'failed', error: toUserError(error) } }];
	}
}

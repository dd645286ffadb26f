import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import type { ParameterContext } from '../parameters/field';
import { createHints } from './createRun';
import { findOperation } from './operations';
import type { ItemOutcome, PreparedItem } from './types';

/**
 * Reads and checks the parameters of all items, and shows each hint about them once. Sends nothing
 * and never throws: an item with an error gets that as its outcome.
 */
export function prepareItems(context: IExecuteFunctions): Array<PreparedItem | ItemOutcome> {
	const parameters: ParameterContext = {
		getNodeParameter: (name, itemIndex, fallback) =>
			context.getNodeParameter(name, itemIndex, fallback),
		showHint: createHints(context),
	};
	return context.getInputData().flatMap((_, itemIndex) => prepareItem(parameters, itemIndex));
}

function prepareItem(
	context: ParameterContext,
	itemIndex: number,
): Array<PreparedItem | ItemOutcome> {
	try {
		const resource = context.getNodeParameter('resource', itemIndex);
		// n8n throws for a parameter that an unknown resource doesn't have; the fallback prevents that.
		const operation = context.getNodeParameter('operation', itemIndex, '');
		const prepared = findOperation(resource, operation).prepare(context, itemIndex);
		const preparations = Array.isArray(prepared) ? prepared : [prepared];
		return preparations.map((preparation) => ({ itemIndex, ...preparation }));
	} catch (error) {
		return [{ itemIndex, outcome: { kind: 'failed', error: toUserError(error) } }];
	}
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import type { ParameterContext } from '../parameters/field';
import { createHints } from './createRun';
import { findOperation } from './operations';
import { hasOutcome, type ItemOutcome, type PreparedItem } from './types';

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
	const items = context
		.getInputData()
		.flatMap((_, itemIndex) => prepareItem(parameters, itemIndex));
	return refuseSharedBrowsers(items);
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

/**
 * Fails each item whose own browser an earlier item of the run uses: several agents would click in
 * one window, each of them paid. A run that n8n's Retry On Fail repeats has the same items, so it
 * fails the same ones.
 */
function refuseSharedBrowsers(
	items: Array<PreparedItem | ItemOutcome>,
): Array<PreparedItem | ItemOutcome> {
	const used = new Set<string>();
	return items.map((item) => {
		if (hasOutcome(item) || item.cdpUrl === undefined) return item;
		if (used.has(item.cdpUrl)) {
			return {
				itemIndex: item.itemIndex,
				outcome: { kind: 'failed', error: sharedBrowserError() },
			};
		}
		used.add(item.cdpUrl);
		return item;
	});
}

function sharedBrowserError(): UserError {
	return new UserError("'Own Browser CDP URL' is the same as for an earlier item", {
		description:
			"A browser can be used by one job at a time. To run the jobs one after another, loop over the items with n8n's Loop Over Items node.",
	});
}

import { NodeFailure } from '../errors/NodeFailure';
import { toNodeFailure } from '../errors/toNodeFailure';
import { valuesOf, type ParameterContext } from '../parameters/field';
import { parseUrl } from '../service/baseUrl';
import { findOperation } from './operations';
import { ownCdpUrlOf, type Item, type Run } from './Run';

/**
 * Reads and checks the parameters of all input items, so that nothing is sent for any of them if
 * one has a mistake. An item with an error gets that as its result.
 */
export function prepareItems(run: Run): void {
	const { context, showHint } = run;
	const parameters: ParameterContext = {
		getNodeParameter: (name, index, fallback) => context.getNodeParameter(name, index, fallback),
		showHint,
	};
	run.items = context.getInputData().flatMap((_, index) => prepareItem(parameters, index));
	failSharedBrowsers(run.items);
}

function prepareItem(context: ParameterContext, index: number): Item[] {
	try {
		const resource = context.getNodeParameter('resource', index);
		// n8n throws for a parameter that an unknown resource doesn't have; the fallback prevents that.
		const operation = context.getNodeParameter('operation', index, '');
		const chosen = findOperation(resource, operation);
		const tasks = chosen.prepare(valuesOf(context, index, chosen.fields));
		return (Array.isArray(tasks) ? tasks : [tasks]).map((task) => ({ index, task }));
	} catch (error) {
		return [{ index, results: [{ kind: 'failed', error: toNodeFailure(error) }] }];
	}
}

/**
 * Fails each item whose own browser an earlier item of the run uses: several agents would click in
 * one window, each of them paid. A run that n8n's Retry On Fail repeats has the same items, so it
 * fails the same ones.
 */
function failSharedBrowsers(items: Item[]): void {
	const used = new Set<string>();
	for (const item of items) {
		const cdpUrl = ownCdpUrlOf(item);
		if (cdpUrl === undefined) continue;
		// The same address can be written in several ways.
		const browser = String(parseUrl(cdpUrl) ?? cdpUrl);
		if (used.has(browser)) item.results = [{ kind: 'failed', error: sharedBrowserError() }];
		used.add(browser);
	}
}

function sharedBrowserError(): NodeFailure {
	return new NodeFailure("'Own Browser CDP URL' is the same as for an earlier item", {
		description:
			"A browser can be used by one job at a time. To run the jobs one after another, loop over the items with n8n's Loop Over Items node.",
	});
}

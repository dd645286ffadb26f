import fc, { type Arbitrary } from 'fast-check';
import type { IDataObject, INodeType } from 'n8n-workflow';

import type { FuzzCase } from '../FuzzCase';
import { agentParameters, triggerParameters } from './parameters';
import { script } from './replies';
import { mostly } from './values';

const item = fc.record(
	{ job_id: fc.integer({ min: 1, max: 5 }).map((number) => `job_${number}`) },
	// n8n's items are plain objects.
	{ noNullPrototype: true },
);

const SETTINGS: Array<FuzzCase['settings']> = [
	{},
	{ onError: 'continueRegularOutput' },
	{ onError: 'continueErrorOutput' },
	{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
];

/** Cases of both nodes. */
export function fuzzCases(nodes: { agent: INodeType; trigger: INodeType }): Arbitrary<FuzzCase> {
	const onAgent = fc.record({
		node: fc.constant('agent' as const),
		parameters: agentParameters(nodes.agent.description.properties),
		input: fc.array(item, { minLength: 1, maxLength: 3 }),
		settings: fc.constantFrom(...SETTINGS),
		stopAfterRequests: mostly(fc.constant(undefined), fc.integer({ min: 1, max: 4 }), 8),
		script,
	});
	const onTrigger = fc.record({
		node: fc.constant('trigger' as const),
		parameters: triggerParameters(nodes.trigger.description.properties),
		input: fc.constant<IDataObject[]>([{}]),
		settings: fc.constant({}),
		script,
	});
	return fc.oneof({ weight: 3, arbitrary: onAgent }, { weight: 1, arbitrary: onTrigger });
}

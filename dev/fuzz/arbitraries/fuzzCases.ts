import fc, { type Arbitrary, type WeightedArbitrary } from 'fast-check';
import type { IDataObject, INodeType } from 'n8n-workflow';

import type { FuzzCase } from '../FuzzCase';
import { agentParameters, triggerParameters } from './parameters';
import { script } from './replies';
import { hostileText, workflowValue, mostly } from './values';

// n8n's items are plain objects.
const item = fc.record(
	{
		job_id: mostly(
			fc.integer({ min: 1, max: 5 }).map((number) => `job_${number}`),
			workflowValue,
			12,
		),
		any: mostly(hostileText, workflowValue, 3),
	},
	{ noNullPrototype: true },
) as Arbitrary<IDataObject>;

const address = fc.oneof(
	{ weight: 40, arbitrary: fc.constant('service' as const) },
	{ weight: 1, arbitrary: fc.constantFrom('tls' as const, 'closed' as const) },
);

/** Cases of both nodes. */
export function fuzzCases(nodes: { agent: INodeType; trigger: INodeType }): Arbitrary<FuzzCase> {
	const onAgent = fc.record({
		node: fc.constant('agent' as const),
		parameters: agentParameters(nodes.agent.description.properties),
		input: fc.array(item, { minLength: 1, maxLength: 3 }),
		settings: fc.oneof<Array<WeightedArbitrary<FuzzCase['settings']>>>(
			{ weight: 3, arbitrary: fc.constant({}) },
			{
				weight: 2,
				arbitrary: fc
					.constantFrom('continueRegularOutput' as const, 'continueErrorOutput' as const)
					.map((onError) => ({ onError })),
			},
			{
				weight: 2,
				arbitrary: fc.constant({ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }),
			},
		),
		address,
		stopAfterRequests: mostly(fc.constant(undefined), fc.integer({ min: 1, max: 4 }), 8),
		script,
	});
	const onTrigger = fc.record({
		node: fc.constant('trigger' as const),
		parameters: triggerParameters(nodes.trigger.description.properties),
		input: fc.constant<IDataObject[]>([{}]),
		settings: fc.constant({}),
		address,
		script,
	});
	return fc.oneof({ weight: 3, arbitrary: onAgent }, { weight: 1, arbitrary: onTrigger });
}

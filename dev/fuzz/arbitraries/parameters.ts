import fc, { type Arbitrary } from 'fast-check';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { TOKENS } from '../FuzzCase';

/** What a field of this name needs to be useful. */
const TEXTS: Record<string, string[]> = {
	jobId: ['={{ $json.job_id }}'],
	jobIds: ['job_1, job_2'],
	workflowId: ['wf_1'],
	directive: ['Find the price'],
	cdpUrl: [TOKENS.cdpUrl],
	jobListUrl: [`${TOKENS.fileHost}/list`],
	binaryPropertyName: ['data'],
	filenames: ['*.pdf', '*'],
	outputExample: ['{"price": 1}'],
	outputSchema: [
		'{"type": "object"}',
		'{"anyOf": [{"items": {"$ref": "#"}}, {"additionalProperties": {"$ref": "#"}}]}',
	],
};
const NUMBERS: Record<string, number[]> = {
	maxWaitMinutes: [0.05, 0.5, 2],
	pollIntervalSeconds: [1, 30],
	maxFileSizeMb: [0.0001, 1, 100],
	width: [1280],
	height: [800],
};
// Waits of an hour take a thousand polls.
const ALWAYS = ['maxWaitMinutes'];
const MAX_OPTIONS = 4;

/** Parameters of the trigger. */
export function triggerParameters(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	return recordOf(properties);
}

/** Parameters of the action node, for any operation, mostly of those that wait. */
export function agentParameters(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	const operations = properties.filter(({ name }) => name === 'operation');
	const weighted = operations.flatMap(({ displayOptions, options = [] }) => {
		const resource = String(displayOptions?.show?.resource?.[0]);
		return options.map((option) => {
			const operation = String((option as INodePropertyOptions).value);
			return {
				weight: operation === 'run' || operation === 'wait' ? 6 : 1,
				arbitrary: ofOperation(properties, { resource, operation }),
			};
		});
	});
	return fc.oneof(...weighted);
}

function ofOperation(
	properties: INodeProperties[],
	{ resource, operation }: { resource: string; operation: string },
): Arbitrary<INodeParameters> {
	const own = properties.filter(({ displayOptions, name }) => {
		const { resource: resources, operation: operations } = displayOptions?.show ?? {};
		const isShown = resources?.includes(resource) && operations?.includes(operation);
		return isShown === true && name !== 'operation';
	});
	return recordOf(own).map((parameters) => ({ ...parameters, resource, operation }));
}

function recordOf(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	const fields = properties.map((property) => [property.name, valueOf(property)]);
	return fc.record(Object.fromEntries(fields) as Record<string, Arbitrary<never>>, {
		noNullPrototype: true,
	});
}

// With all of them, hardly a case would be valid.
function fewOf(options: INodeProperties[]): Arbitrary<INodeParameters> {
	const always = options.filter(({ name }) => ALWAYS.includes(name));
	return fc
		.subarray(options, { maxLength: Math.min(MAX_OPTIONS, options.length) })
		.chain((some) => recordOf([...always, ...some]));
}

function valueOf({
	name,
	type,
	options = [],
	default: unset,
}: INodeProperties): Arbitrary<unknown> {
	const values = options.map((option) => (option as INodePropertyOptions).value);
	switch (type) {
		case 'options':
			return fc.constantFrom(...values);
		case 'multiOptions':
			return fc.subarray(values, { minLength: 1 });
		case 'boolean':
			return fc.boolean();
		case 'number':
			return fc.constantFrom(...(NUMBERS[name] ?? [1, 2, 5]));
		case 'collection':
			return fewOf(options as INodeProperties[]);
		case 'json':
		case 'string':
			return fc.constantFrom(...(TEXTS[name] ?? ['', 'https://www.example.com']));
		default:
			return fc.constant(unset);
	}
}

import fc, { type Arbitrary } from 'fast-check';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { TOKENS } from '../FuzzCase';
import { hostileText, workflowValue, mostly, PROTOTYPE_NAMES } from './values';

/** Values that only an expression can give. */
const EXPRESSIONS = [
	'NaN',
	'-Infinity',
	'undefined',
	'null',
	'true',
	'"false"',
	'"1280"',
	'10n',
	'Symbol("s")',
	'new Date(NaN)',
	'$now',
	'DateTime.fromISO("no date")',
	'/x/g',
	'new Map([[1, 2]])',
	'(() => 1)',
	'Object.create(null)',
	'({ toString: 1, valueOf: 1 })',
	'({ toJSON: () => { throw new Error("no JSON") } })',
	'[undefined, [], {}]',
	'[[[["job_1"]]]]',
	'"x".repeat(100000)',
	'"\\ud800"',
	'Array.from({ length: 300000 }, (_, i) => "job_" + i)',
	'$json',
	'$json.any',
	...PROTOTYPE_NAMES.map((name) => JSON.stringify(name)),
].map((expression) => `={{ ${expression} }}`);

const wrong: Arbitrary<unknown> = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom(...EXPRESSIONS) },
	{ weight: 1, arbitrary: hostileText.map(asPlainValue) },
	{ weight: 1, arbitrary: workflowValue.map(asPlainData) },
);

/** What a field of this name needs to be useful. */
const GOOD_TEXTS: Record<string, string[]> = {
	jobId: ['={{ $json.job_id }}', 'job_1'],
	jobIds: ['job_1, job_2', '={{ ["job_1", { job_id: "job_2" }] }}'],
	workflowId: ['wf_1'],
	directive: ['Find the price', '={{ $json.any }}'],
	cdpUrl: [TOKENS.cdpUrl],
	jobListUrl: [`${TOKENS.fileHost}/list`],
	binaryPropertyName: ['data'],
	filenames: ['*.pdf', '*', '***a***b***'],
	outputExample: ['{"price": 1}'],
	outputSchema: ['{"type": "object"}'],
};
const GOOD_NUMBERS: Record<string, number[]> = {
	maxWaitMinutes: [0.05, 1, 5],
	pollIntervalSeconds: [1, 30],
	maxFileSizeMb: [0.0001, 1, 100],
	width: [1280],
	height: [800],
};

// Waits of an hour take a thousand polls.
const ALWAYS = ['maxWaitMinutes'];

function valueOf(property: INodeProperties): Arbitrary<unknown> {
	const values = (property.options ?? []).map((option) => (option as INodePropertyOptions).value);
	switch (property.type) {
		case 'options':
			return mostly(fc.constantFrom(...values), wrong, 12);
		case 'multiOptions':
			return mostly(fc.subarray(values), wrong);
		case 'boolean':
			return mostly(fc.boolean(), wrong, 8);
		case 'number':
			return mostly(fc.constantFrom(...(GOOD_NUMBERS[property.name] ?? [1, 2, 5])), wrong, 8);
		case 'collection':
			return mostly(collectionOf(property.options as INodeProperties[]), wrong, 12);
		case 'hidden':
			return mostly(fc.constant(property.default), wrong, 20);
		default: {
			const texts = fc.constantFrom(
				...(GOOD_TEXTS[property.name] ?? ['', 'https://www.example.com']),
			);
			return mostly(mostly(texts, hostileText.map(asPlainValue), 8), wrong, 8);
		}
	}
}

function collectionOf(properties: INodeProperties[]): Arbitrary<unknown> {
	return recordOf(properties, properties.length > 4 ? 0.25 : 0.5);
}

// Each field is there with this probability: with all of them, hardly a case would be valid.
function recordOf(properties: INodeProperties[], probability: number): Arbitrary<INodeParameters> {
	const fields = properties.map((property) =>
		fc.tuple(fc.integer({ min: 1, max: 100 }), valueOf(property)).map(([roll, value]) => {
			const isThere = roll <= probability * 100 || ALWAYS.includes(property.name);
			return isThere ? [[property.name, value]] : [];
		}),
	);
	return fc.tuple(...fields).map((found) => Object.fromEntries(found.flat()) as INodeParameters);
}

/** Parameters of the trigger. */
export function triggerParameters(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	return mostly(recordOf(properties, 0.8), recordOf(properties, 0.4), 3);
}

/** Parameters of the action node, with any resource and operation. */
export function agentParameters(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	const pairs = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) => {
			const resource = String(displayOptions?.show?.resource?.[0]);
			return options.map((option) => ({
				resource,
				operation: String((option as INodePropertyOptions).value),
			}));
		});
	const weighted = pairs.map((pair) => ({
		weight: pair.operation === 'run' || pair.operation === 'wait' ? 4 : 1,
		arbitrary: parametersOf(properties, pair),
	}));
	const odd = fc
		.tuple(wrong, wrong, fc.constantFrom(...pairs))
		.map(([resource, operation, pair]) => ({ ...pair, resource, operation }) as INodeParameters);
	return mostly(fc.oneof(...weighted), odd, 20);
}

function parametersOf(
	properties: INodeProperties[],
	pair: { resource: string; operation: string },
): Arbitrary<INodeParameters> {
	const own = properties.filter(({ displayOptions, name, type }) => {
		const { resource, operation } = displayOptions?.show ?? {};
		const isShown = resource?.includes(pair.resource) && operation?.includes(pair.operation);
		return (isShown === true && name !== 'operation') || type === 'hidden';
	});
	return recordOf(own, 0.9).map((parameters) => ({ ...parameters, ...pair }));
}

// A text that begins like an expression would be one.
function asPlainValue(text: string): string {
	return text.replace(/^=/, '');
}

function asPlainData(value: unknown): unknown {
	return typeof value === 'string' ? asPlainValue(value) : value;
}

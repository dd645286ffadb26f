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
	'Array.from({ length: 30000 }, (_, i) => "job_" + i)',
	'$json',
	'$json.any',
	...PROTOTYPE_NAMES.map((name) => JSON.stringify(name)),
].map((expression) => `={{ ${expression} }}`);

const wrongPlain: Arbitrary<unknown> = fc.oneof(
	hostileText.map(asPlainValue),
	workflowValue.map(asPlainData),
);

const wrong = fc.oneof(fc.constantFrom<unknown>(...EXPRESSIONS), wrongPlain);

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
	outputExample: ['', '{"price": 1}', '={{ [$json.any] }}'],
	outputSchema: [
		'',
		'{"type": "object"}',
		'{"anyOf": [{"items": {"$ref": "#"}}, {"additionalProperties": {"$ref": "#"}}]}',
		'{"patternProperties": {"^(.*)*$": {"pattern": "^(a*)*$"}}, "uniqueItems": true}',
	],
};
const GOOD_NUMBERS: Record<string, number[]> = {
	maxWaitMinutes: [0.05, 0.5, 2],
	pollIntervalSeconds: [1, 30],
	maxFileSizeMb: [0.0001, 1, 100],
	width: [1280],
	height: [800],
};

// Waits of an hour take a thousand polls.
const ALWAYS = ['options', 'maxWaitMinutes'];

/** A value of a parameter that is right by itself. */
function rightValueOf({
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
			return fc.constantFrom(...(GOOD_NUMBERS[name] ?? [1, 2, 5]));
		case 'collection':
			return recordOf(options as INodeProperties[], 0.3, rightValueOf);
		case 'json':
		case 'string':
			return fc.constantFrom(...(GOOD_TEXTS[name] ?? ['', 'https://www.example.com']));
		default:
			return fc.constant(unset);
	}
}

/** Any value of a parameter. */
function anyValueOf(property: INodeProperties): Arbitrary<unknown> {
	// Nobody can enter an expression there.
	if (property.type === 'hidden') return hostileText.map(asPlainValue);
	const right = rightValueOf(property);
	if (property.type !== 'collection') return mostly(right, wrong, 3);
	return mostly(recordOf(property.options as INodeProperties[], 0.3, anyValueOf), wrong, 9);
}

// Each field is there with this probability: with all of them, hardly a case would be valid.
function recordOf(
	properties: INodeProperties[],
	probability: number,
	valueOf: (property: INodeProperties) => Arbitrary<unknown>,
): Arbitrary<INodeParameters> {
	const fields = properties.map((property) =>
		fc.tuple(fc.integer({ min: 1, max: 100 }), valueOf(property)).map(([roll, value]) => {
			const isThere = roll <= probability * 100 || ALWAYS.includes(property.name);
			return isThere ? [[property.name, value]] : [];
		}),
	);
	return fc.tuple(...fields).map((found) => Object.fromEntries(found.flat()) as INodeParameters);
}

/** Mostly parameters that are right, since otherwise the service would never be called. */
function allOf(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	const shown = properties.filter(({ type }) => type !== 'hidden');
	return mostly(recordOf(shown, 0.9, rightValueOf), recordOf(properties, 0.9, anyValueOf), 4);
}

/** Parameters of the trigger. */
export function triggerParameters(properties: INodeProperties[]): Arbitrary<INodeParameters> {
	return allOf(properties);
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
		weight: pair.operation === 'run' || pair.operation === 'wait' ? 6 : 1,
		arbitrary: parametersOf(properties, pair),
	}));
	const odd = fc
		// In the editor, these two can't be expressions.
		.tuple(wrongPlain, wrongPlain, fc.constantFrom(...pairs))
		.map(([resource, operation, pair]) => ({ ...pair, resource, operation }) as INodeParameters);
	return mostly(fc.oneof(...weighted), odd, 30);
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
	return allOf(own).map((parameters) => ({ ...parameters, ...pair }));
}

// A text that begins like an expression would be one.
function asPlainValue(text: string): string {
	return text.replace(/^=/, '');
}

function asPlainData(value: unknown): unknown {
	return typeof value === 'string' ? asPlainValue(value) : value;
}

/**
 * What users' saved workflows depend on: names, types, defaults, options and conditions. All of it is in
 * interface.golden.json, so that a change shows in the diff. After a change that is meant:
 *
 *     UPDATE_GOLDEN=1 npx jest test/package/interface && npx prettier --write test/package/*.json
 *
 * Adding something is free. Renaming or removing something breaks saved workflows.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import packageJson from '../../package.json';

const NODES_FOLDER = resolve(__dirname, '../../nodes');
const GOLDEN_FILE = join(__dirname, 'interface.golden.json');

const action: INodeType = new BrowserAgent();
const trigger: INodeType = new BrowserAgentTrigger();
const credential = new BrowserAgentApi();

/** The whole interface as plain data. */
function deriveInterface(): unknown {
	const derived = {
		package: { name: packageJson.name, n8n: packageJson.n8n },
		credential: {
			name: credential.name,
			displayName: credential.displayName,
			parameters: credential.properties.map(toParameter),
		},
		nodes: [action, trigger].map(({ description }) => ({
			name: description.name,
			displayName: description.displayName,
			version: description.version,
			polling: description.polling,
			usableAsTool: description.usableAsTool,
			inputs: description.inputs,
			outputs: description.outputs,
			credentials: description.credentials,
			parameters: description.properties.map(toParameter),
		})),
		outputs: Object.fromEntries(schemaFiles().map((file) => [file, fieldsIn(file)])),
	};
	return JSON.parse(JSON.stringify(derived)) as unknown;
}

function toParameter(property: INodeProperties): object {
	const { name, displayName, type, required, typeOptions, displayOptions } = property;
	const options = property.options?.map((option) =>
		'value' in option
			? { value: option.value, name: option.name }
			: toParameter(option as Exclude<typeof option, INodePropertyCollection>),
	);
	return {
		name,
		displayName,
		type,
		default: property.default,
		required,
		typeOptions,
		displayOptions,
		options,
	};
}

/** The files from which the editor knows the fields of an output before a run. */
function schemaFiles(): string[] {
	const files = readdirSync(NODES_FOLDER, { recursive: true, encoding: 'utf8' });
	return files.filter((file) => file.includes('__schema__') && file.endsWith('.json')).sort();
}

function fieldsIn(schemaFile: string): string[] {
	const schema = readFileSync(join(NODES_FOLDER, schemaFile), 'utf8');
	return Object.keys((JSON.parse(schema) as { properties: object }).properties);
}

describe('The interface', () => {
	it('is the one in interface.golden.json', () => {
		const derived = deriveInterface();

		if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN_FILE, JSON.stringify(derived));

		expect(derived).toEqual(JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')));
	});

	// n8n's Retry On Fail takes an item with `error` for a failure, and runs the node again.
	it.each(schemaFiles())('has no top-level error in %s', (file) => {
		expect(fieldsIn(file)).not.toContain('error');
	});
});

// The names that are promised, and the defaults as far as they are.
const ANY: unknown = expect.anything();
const JOB_ID = { jobId: '={{ $json.job_id }}' };
const OUTPUT = { simplify: true };
const FORMAT = { outputFormat: 'any', outputExample: '', outputSchema: '' };
const WAIT_OPTIONS = {
	'options.maxWaitMinutes': ANY,
	'options.pollIntervalSeconds': ANY,
	'options.onTimeout': 'fail',
	'options.onUnsuccessful': 'fail',
	'options.onPaused': 'wait',
	'options.onTakenOver': 'fail',
	'options.pauseWhenAbandoned': false,
	'options.downloadFiles': false,
	'options.onInvalidOutput': 'fail',
	'options.durableWait': false,
	'options.maxParallelJobs': 10,
	'options.stopBelowCredits': ANY,
};
const RUN = {
	waitUntilFinished: true,
	...FORMAT,
	...OUTPUT,
	...WAIT_OPTIONS,
	'options.minimumCredits': ANY,
	'options.onStop': 'pause',
	'options.maxAttempts': 1,
	'options.returnCdpUrl': false,
};
const PROMISED: Record<string, Record<string, unknown>> = {
	'agent run': {
		directive: ANY,
		initialUrl: ANY,
		model: 'vendora-sonnet-4-20250514',
		customModel: ANY,
		browser: 'service',
		cdpUrl: ANY,
		liveUrl: ANY,
		'browserConfig.width': ANY,
		'browserConfig.height': ANY,
		'browserConfig.residentialIp': ANY,
		'browserConfig.maxDurationMinutes': ANY,
		'browserConfig.idleTimeoutMinutes': ANY,
		'browserConfig.keepBrowserOpen': ANY,
		'browserConfig.useUserBrowserProfile': ANY,
		...RUN,
	},
	'workflow run': {
		workflowId: ANY,
		payloadType: 'text',
		payload: ANY,
		payloadFields: ANY,
		...RUN,
	},
	'job get': { ...JOB_ID, ...OUTPUT },
	'job wait': { ...JOB_ID, ...FORMAT, ...OUTPUT, ...WAIT_OPTIONS },
	'job pause': JOB_ID,
	'job resume': JOB_ID,
	'jobFile getAll': JOB_ID,
	'jobFile download': {
		...JOB_ID,
		binaryPropertyName: 'data',
		'options.filenames': ANY,
		'options.maxFileSizeMb': ANY,
	},
	'account getCreditBalance': {},
	'service getHealth': {},
	trigger: {
		triggerOn: ['completed', 'failed', 'user_taken_over', 'canceled', 'not_found'],
		jobSource: 'ids',
		jobIds: ANY,
		jobListUrl: ANY,
		...FORMAT,
		...OUTPUT,
		'options.downloadFiles': false,
	},
	credential: { baseUrl: '', apiKey: '' },
};

/** The parameters of the credential, of the trigger, or of an operation, e.g. "job wait". */
function parametersOf(place: string): INodeProperties[] {
	if (place === 'credential') return credential.properties;
	if (place === 'trigger') return trigger.description.properties;
	const [resource = '', operation = ''] = place.split(' ');
	return action.description.properties.filter(({ displayOptions }) => {
		const show = displayOptions?.show;
		return show?.resource?.includes(resource) && show.operation?.includes(operation);
	});
}

function find(properties: INodeProperties[], path: string): INodeProperties | undefined {
	const [name, ...rest] = path.split('.');
	const found = properties.find((property) => property.name === name);
	if (rest.length === 0 || found === undefined) return found;
	return find((found.options ?? []) as INodeProperties[], rest.join('.'));
}

describe('The promised interface', () => {
	it.each(Object.keys(PROMISED).filter((place) => place.includes(' ')))(
		'has the operation: %s',
		(place) => {
			const [resource, operation] = place.split(' ');
			const dropdown = action.description.properties.find(
				({ name, displayOptions }) =>
					name === 'operation' && displayOptions?.show?.resource?.[0] === resource,
			);

			expect(dropdown?.options).toContainEqual(expect.objectContaining({ value: operation }));
		},
	);

	it.each(
		Object.entries(PROMISED).flatMap(([place, parameters]) =>
			Object.entries(parameters).map(([path, byDefault]) => [place, path, byDefault] as const),
		),
	)('has the parameter with its default: %s, %s', (place, path, byDefault) => {
		const parameter = find(parametersOf(place), path);

		expect(parameter).toMatchObject({ name: path.split('.').at(-1), default: byDefault });
	});
});

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import packageJson from '../../package.json';
import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';

// What saved workflows depend on. Something new gets a line here; a line that has to be changed or
// removed breaks somebody's workflow.

const ROOT = resolve(__dirname, '../..');

/** A field as saved workflows know it: its kind, what it is when nobody set it, and its choices. */
interface Field {
	type: INodeProperties['type'];
	default: unknown;
	/** Asked for by n8n itself; the node asks for those that are shown only sometimes. */
	required?: true;
	/** Shown as dots. */
	masked?: true;
	/** Of several rows. */
	rows?: true;
	/** All values of a list, in any order. */
	choices?: string[];
	/** Bounds that the editor keeps to. */
	min?: number;
	max?: number;
	/** Whole numbers only. */
	whole?: true;
	/** Shown only when these other fields have these values. */
	shownWith?: Record<string, unknown[]>;
	/** What can be added to a collection. */
	fields?: Record<string, Field>;
}

const MODELS = [
	'vendorb/vendorb-3-flash-preview',
	'o3',
	'vendora-sonnet-4-20250514',
	'vendorc-4o',
	'vendora-opus-4-1-20250805',
];
const COUNTRIES = ['us', 'ca', 'gb', 'de', 'fr', 'au', 'jp', 'in', 'br', 'kr'];

const jobId: Field = { type: 'string', default: '={{ $json.job_id }}', required: true };
const simplify: Field = { type: 'boolean', default: true };
const waitUntilFinished: Field = { type: 'boolean', default: true };
const switchedOff: Field = { type: 'boolean', default: false };
const failOrReturn: Field = { type: 'options', default: 'fail', choices: ['fail', 'return'] };

const waitOptions: Record<string, Field> = {
	maxWaitMinutes: { type: 'number', default: 60, min: 0 },
	pollIntervalSeconds: { type: 'number', default: 5, min: 1 },
	onTimeout: failOrReturn,
	onUnsuccessful: failOrReturn,
	onPaused: { type: 'options', default: 'wait', choices: ['wait', 'return'] },
	pauseWhenAbandoned: switchedOff,
	downloadFiles: switchedOff,
	durableWait: switchedOff,
	parseJsonOutput: switchedOff,
	maxParallelJobs: { type: 'number', default: 10, min: 1, whole: true },
};
const waitOptionsWhenWaiting = Object.fromEntries(
	Object.entries(waitOptions).map(([name, field]): [string, Field] => [
		name,
		{ ...field, shownWith: { '/waitUntilFinished': [true] } },
	]),
);
const minimumCredits: Field = { type: 'number', default: 100, min: 0, whole: true };
const runOptions: Field = {
	type: 'collection',
	default: {},
	fields: { ...waitOptionsWhenWaiting, minimumCredits },
};

const OPERATIONS: Record<string, Record<string, Record<string, Field>>> = {
	agent: {
		run: {
			directive: { type: 'string', default: '', required: true, rows: true },
			initialUrl: { type: 'string', default: '' },
			model: {
				type: 'options',
				default: 'vendora-sonnet-4-20250514',
				choices: [...MODELS, 'custom'],
			},
			customModel: {
				type: 'string',
				default: '',
				shownWith: { model: ['custom'] },
			},
			browser: { type: 'options', default: 'service', choices: ['service', 'own'] },
			cdpUrl: {
				type: 'string',
				default: '',
				masked: true,
				shownWith: { browser: ['own'] },
			},
			liveUrl: { type: 'string', default: '', shownWith: { browser: ['own'] } },
			browserConfig: {
				type: 'collection',
				default: {},
				shownWith: { browser: ['service'] },
				fields: {
					width: { type: 'number', default: 1920, min: 320, max: 4096, whole: true },
					height: { type: 'number', default: 1080, min: 320, max: 4096, whole: true },
					residentialIp: {
						type: 'options',
						default: 'disabled',
						choices: ['disabled', 'enabled', ...COUNTRIES],
					},
					maxDurationMinutes: { type: 'number', default: 30, min: 1, max: 240, whole: true },
					idleTimeoutMinutes: { type: 'number', default: 2, min: 1, max: 60, whole: true },
					keepBrowserOpen: switchedOff,
					useUserBrowserProfile: switchedOff,
				},
			},
			waitUntilFinished,
			simplify,
			options: runOptions,
		},
	},
	job: {
		get: { jobId, simplify },
		wait: { jobId, simplify, options: { type: 'collection', default: {}, fields: waitOptions } },
		pause: { jobId },
		resume: { jobId },
	},
	jobFile: {
		getAll: { jobId },
		download: {
			jobId,
			binaryPropertyName: { type: 'string', default: 'data', required: true },
			options: {
				type: 'collection',
				default: {},
				fields: {
					filenames: { type: 'string', default: '' },
					maxFileSizeMb: { type: 'number', default: 100, min: 0 },
				},
			},
		},
	},
	workflow: {
		run: {
			workflowId: { type: 'string', default: '', required: true },
			payload: { type: 'string', default: '', rows: true },
			waitUntilFinished,
			simplify,
			options: runOptions,
		},
	},
	account: { getCreditBalance: {} },
	service: { getHealth: {} },
};

const TRIGGER: Record<string, Field> = {
	triggerOn: {
		type: 'multiOptions',
		default: ['completed', 'failed', 'user_taken_over', 'canceled', 'not_found'],
		required: true,
		choices: ['completed', 'failed', 'user_taken_over', 'canceled', 'paused', 'not_found'],
	},
	jobSource: { type: 'options', default: 'ids', choices: ['ids', 'url'] },
	jobIds: { type: 'string', default: '', rows: true, shownWith: { jobSource: ['ids'] } },
	jobListUrl: {
		type: 'string',
		default: '',
		shownWith: { jobSource: ['url'] },
	},
	simplify,
	options: {
		type: 'collection',
		default: {},
		fields: { downloadFiles: switchedOff, parseJsonOutput: switchedOff },
	},
};

const JOB = ['job_id', 'status', 'output', 'job_error', 'credits_used', 'live_url', 'history_url'];
const FINISHED_JOB = [...JOB, 'duration_seconds', 'is_finished', 'files'];

/** The fields that the editor offers before a run, by the place of their schema. */
const OUTPUTS: Record<string, string[]> = {
	'BrowserAgent/__schema__/v1.0.0/agent/run.json': FINISHED_JOB,
	'BrowserAgent/__schema__/v1.0.0/job/get.json': [...JOB, 'is_finished'],
	'BrowserAgent/__schema__/v1.0.0/job/wait.json': FINISHED_JOB,
	'BrowserAgent/__schema__/v1.0.0/job/pause.json': ['job_id'],
	'BrowserAgent/__schema__/v1.0.0/job/resume.json': ['job_id', 'status', 'message', 'data'],
	'BrowserAgent/__schema__/v1.0.0/jobFile/getAll.json': [
		'job_id',
		'filename',
		'download_url',
		'expires_in',
	],
	'BrowserAgent/__schema__/v1.0.0/jobFile/download.json': ['job_id', 'filename', 'size_bytes'],
	'BrowserAgent/__schema__/v1.0.0/workflow/run.json': [
		...FINISHED_JOB,
		'workflow_id',
		'conversation_id',
	],
	'BrowserAgent/__schema__/v1.0.0/account/getCreditBalance.json': [
		'plan',
		'unlimited',
		'credit_balance',
		'next_reset',
		'message',
	],
	'BrowserAgent/__schema__/v1.0.0/service/getHealth.json': ['healthy', 'status_code', 'response'],
	'BrowserAgentTrigger/__schema__/v1.0.0/output.json': [
		...JOB,
		'is_finished',
		'detected_at',
		'files',
		'files_error',
	],
};

describe('the package', () => {
	it('has the name that saved workflows hold', () => {
		expect(packageJson.name).toBe('n8n-nodes-browser-agent');
	});

	it('has the classes under the paths by which n8n finds them', () => {
		expect(packageJson.n8n).toMatchObject({
			credentials: ['dist/credentials/BrowserAgentApi.credentials.js'],
			nodes: expect.arrayContaining([
				'dist/nodes/BrowserAgent/BrowserAgent.node.js',
				'dist/nodes/BrowserAgentTrigger/BrowserAgentTrigger.node.js',
			]),
		});
	});
});

describe('the credential', () => {
	const credential: ICredentialType = new BrowserAgentApi();

	it('has its names', () => {
		expect([credential.name, credential.displayName]).toEqual([
			'browserAgentApi',
			'Browser Agent API',
		]);
	});

	it.each<[string, Field]>([
		['baseUrl', { type: 'string', default: '', required: true }],
		['apiKey', { type: 'string', default: '', required: true, masked: true }],
	])('has the field %s', (name, field) => {
		expect(toField(byName(credential.properties, name), field)).toEqual(field);
	});

	it('is tested by reading the balance, which costs nothing', () => {
		expect(credential.test?.request).toMatchObject({
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/v1/get_credit_balance',
		});
	});
});

describe('the action node', () => {
	const { description }: INodeType = new BrowserAgent();

	it('has its names, its credential, and can be a tool of an AI agent', () => {
		expect(description).toMatchObject({
			name: 'browserAgent',
			displayName: 'Browser Agent',
			version: 1,
			credentials: [{ name: 'browserAgentApi', required: true }],
			usableAsTool: true,
		});
	});

	it('has every resource, and begins with the agent', () => {
		const resource = byName(description.properties, 'resource');

		expect(valuesOf(resource)).toEqual(expect.arrayContaining(Object.keys(OPERATIONS)));
		expect(resource?.default).toBe('agent');
	});

	it.each(Object.entries(OPERATIONS))(
		'has every operation of the resource %s',
		(name, operations) => {
			const [dropdown] = shown(description, name).filter((field) => field.name === 'operation');

			expect(valuesOf(dropdown)).toEqual(expect.arrayContaining(Object.keys(operations)));
			expect(valuesOf(dropdown)).toContain(dropdown?.default);
		},
	);

	it.each(allOperations())('has the fields of %s: %s', (resource, operation, fields) => {
		const onScreen = shown(description, resource, operation);

		const known = onScreen.filter(({ name }) => name in fields);

		expect(known.map(({ name }) => name).sort()).toEqual(Object.keys(fields).sort());
		expect(
			Object.fromEntries(known.map((one) => [one.name, toField(one, fields[one.name])])),
		).toEqual(fields);
	});

	it.each<[string, string]>([
		['agent', 'run'],
		['workflow', 'run'],
		['job', 'wait'],
	])('can let n8n keep the wait of %s: %s, under the name that its hint uses', (...given) => {
		const options = byName(shown(description, ...given), 'options');

		const option = byName((options?.options ?? []) as INodeProperties[], 'durableWait');

		expect(option?.displayName).toBe('Free the Worker While Waiting');
	});

	it.each(allOperations())('asks for nothing else in %s: %s', (resource, operation, fields) => {
		const required = shown(description, resource, operation).filter((one) => one.required);

		expect(required.filter(({ name }) => !(name in fields))).toEqual([]);
	});
});

describe('the trigger node', () => {
	const { description }: INodeType = new BrowserAgentTrigger();

	it('has its names and its credential, and polls', () => {
		expect(description).toMatchObject({
			name: 'browserAgentTrigger',
			displayName: 'Browser Agent Trigger',
			version: 1,
			polling: true,
			credentials: [{ name: 'browserAgentApi', required: true }],
		});
		expect(description).not.toHaveProperty('usableAsTool');
	});

	it.each(Object.entries(TRIGGER))('has the field %s', (name, field) => {
		expect(toField(byName(description.properties, name), field)).toEqual(field);
	});
});

describe('the output', () => {
	it.each([
		'BrowserAgent/__schema__/v1.0.0/agent/run.json',
		'BrowserAgent/__schema__/v1.0.0/job/wait.json',
		'BrowserAgent/__schema__/v1.0.0/workflow/run.json',
		'BrowserAgentTrigger/__schema__/v1.0.0/output.json',
	])('lists files by their names in %s', (path) => {
		const schema = readSchema(path) as { properties: { files?: unknown } };

		expect(schema.properties.files).toMatchObject({
			type: 'array',
			items: {
				properties: {
					filename: { type: 'string' },
					size_bytes: { type: 'integer' },
					mime_type: { type: 'string' },
					binary_property: { type: 'string' },
				},
			},
		});
	});

	it.each(Object.entries(OUTPUTS))('has its fields in %s', (path, names) => {
		const fields = Object.keys(readSchema(path).properties);

		expect(fields).toEqual(expect.arrayContaining(names));
		// n8n's Retry On Fail takes an item with `error` for a node that went wrong.
		expect(fields).not.toContain('error');
	});
});

function readSchema(path: string): { properties: object } {
	const file = join(ROOT, 'nodes', path);
	if (!existsSync(file)) return { properties: {} };
	return JSON.parse(readFileSync(file, 'utf8')) as { properties: object };
}

function allOperations(): Array<[string, string, Record<string, Field>]> {
	return Object.entries(OPERATIONS).flatMap(([resource, operations]) =>
		Object.entries(operations).map(
			([operation, fields]): [string, string, Record<string, Field>] => [
				resource,
				operation,
				fields,
			],
		),
	);
}

/** The fields on the screen for a choice of resource and operation. */
function shown(
	{ properties }: INodeTypeDescription,
	resource: string,
	operation?: string,
): INodeProperties[] {
	return properties.filter(({ displayOptions }) => {
		const show = displayOptions?.show;
		const isForResource = show?.resource?.includes(resource) === true;
		return isForResource && (operation === undefined || show?.operation?.includes(operation));
	});
}

function byName(properties: INodeProperties[], name: string): INodeProperties | undefined {
	return properties.find((property) => property.name === name);
}

function valuesOf(property: INodeProperties | undefined): unknown[] {
	return (property?.options ?? []).map((option) => ('value' in option ? option.value : undefined));
}

/** A property in the words of this table. A collection may have more fields than the table knows. */
function toField(property: INodeProperties | undefined, known?: Field): Field | undefined {
	if (property === undefined) return undefined;
	const { type, typeOptions, displayOptions } = property;
	const { resource: _r, operation: _o, ...shownWith } = displayOptions?.show ?? {};
	const isConditional = Object.keys(shownWith).length > 0;
	const collected = (property.options ?? []) as INodeProperties[];
	const field: Field = {
		type,
		default: property.default,
		required: property.required === true && !isConditional ? true : undefined,
		masked: typeOptions?.password === true ? true : undefined,
		rows: (typeOptions?.rows ?? 1) > 1 ? true : undefined,
		min: typeOptions?.minValue,
		max: typeOptions?.maxValue,
		whole: typeOptions?.numberPrecision === 0 ? true : undefined,
		shownWith: isConditional ? (shownWith as Field['shownWith']) : undefined,
		choices:
			type === 'options' || type === 'multiOptions'
				? inOrderOf(known?.choices ?? [], valuesOf(property) as string[])
				: undefined,
		fields:
			type === 'collection'
				? Object.fromEntries(
						Object.entries(known?.fields ?? {}).flatMap(([name, one]) => {
							const found = toField(byName(collected, name), one);
							return found === undefined ? [] : [[name, found]];
						}),
					)
				: undefined,
	};
	return Object.fromEntries(
		Object.entries(field).filter(([, value]) => value !== undefined),
	) as unknown as Field;
}

function inOrderOf(order: string[], values: string[]): string[] {
	return [...values].sort((one, other) => order.indexOf(one) - order.indexOf(other));
}

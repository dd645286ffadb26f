import type { INodeParameters } from 'n8n-workflow';

import type { NodeResult } from '../../support/runNode';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

const AGENT = { resource: 'agent', operation: 'run' };
const WORKFLOW = { resource: 'workflow', operation: 'run' };
const WAIT = { resource: 'job', operation: 'wait' };

const WHOLE_NUMBER = "Enter a number without a fraction in 'Width'.";
const FROM_320_TO_4096 = "Change 'Width'. If it is an expression, check its value for this item.";
const LOOK_AT_EXPRESSION = 'If it is an expression, check its value for this item.';

/**
 * Runs the node for two items. The parameters in `wrong` are right for the first one, which has
 * `isRight`, so that the error has to name the second.
 */
async function runWithSecondItemWrong(
	node: { resource: string; operation: string },
	parameters: INodeParameters,
	more: Partial<SandboxRun> = {},
): Promise<NodeResult> {
	return await service.run({
		...node,
		parameters: { directive: 'Find the price', workflowId: 'wf_daily_report', ...parameters },
		input: [
			{ isRight: true, job_id: 'job_1' },
			{ isRight: false, job_id: 'job_2' },
		],
		...more,
	});
}

/** An expression that gives `right` for the first item and `wrong` for the second. */
function secondItem(wrong: unknown, right: unknown): string {
	const value = wrong === undefined ? 'undefined' : JSON.stringify(wrong);
	return `={{ $json.isRight ? ${JSON.stringify(right)} : ${value} }}`;
}

async function expectNothingSent(): Promise<void> {
	expect(await service.requests()).toEqual([]);
}

describe('a value that cannot be used is told with its field and item, and nothing is sent', () => {
	it.each<[string, unknown, unknown, string, string]>([
		// [field, wrong, right, message, description]
		['width', 0, 320, "'Width' must be between 320 and 4096 (got 0)", FROM_320_TO_4096],
		['width', 5000, 4096, "'Width' must be between 320 and 4096 (got 5000)", FROM_320_TO_4096],
		['width', 319, 320, "'Width' must be between 320 and 4096 (got 319)", FROM_320_TO_4096],
		['width', '4097', '4096', "'Width' must be between 320 and 4096 (got 4097)", FROM_320_TO_4096],
		['width', 1080.5, 1080, "'Width' is not a whole number: 1080.5", WHOLE_NUMBER],
		['width', '1080.5', '1080', "'Width' is not a whole number: 1080.5", WHOLE_NUMBER],
		[
			'width',
			'abc',
			1080,
			"'Width' is not a number: 'abc'",
			`Enter a number in 'Width'. ${LOOK_AT_EXPRESSION}`,
		],
		[
			'width',
			true,
			1080,
			"'Width' is not a number: 'true'",
			`Enter a number in 'Width'. ${LOOK_AT_EXPRESSION}`,
		],
		[
			'width',
			[1080],
			1080,
			"'Width' is not a number: '[1080]'",
			`Enter a number in 'Width'. ${LOOK_AT_EXPRESSION}`,
		],
		['width', undefined, 1080, "'Width' is empty", `Fill in 'Width'. ${LOOK_AT_EXPRESSION}`],
		['width', null, 1080, "'Width' is empty", `Fill in 'Width'. ${LOOK_AT_EXPRESSION}`],
		['width', '', 1080, "'Width' is empty", `Fill in 'Width'. ${LOOK_AT_EXPRESSION}`],
		['width', '  ', 1080, "'Width' is empty", `Fill in 'Width'. ${LOOK_AT_EXPRESSION}`],
		[
			'height',
			4097,
			4096,
			"'Height' must be between 320 and 4096 (got 4097)",
			"Change 'Height'. If it is an expression, check its value for this item.",
		],
		[
			'maxDurationMinutes',
			241,
			240,
			"'Max Duration Minutes' must be between 1 and 240 (got 241)",
			"Change 'Max Duration Minutes'. If it is an expression, check its value for this item.",
		],
		[
			'idleTimeoutMinutes',
			0,
			1,
			"'Idle Timeout Minutes' must be between 1 and 60 (got 0)",
			"Change 'Idle Timeout Minutes'. If it is an expression, check its value for this item.",
		],
		[
			'residentialIp',
			'xx',
			'de',
			"'Residential IP' has no option 'xx'",
			'Choose one of: disabled, enabled, us, ca, gb, de, fr, au, jp, in, br, kr.',
		],
		[
			'residentialIp',
			undefined,
			'de',
			"'Residential IP' is empty",
			`Fill in 'Residential IP'. ${LOOK_AT_EXPRESSION}`,
		],
		[
			'keepBrowserOpen',
			'maybe',
			true,
			"'Keep Browser Open' is neither true nor false: 'maybe'",
			"If 'Keep Browser Open' is an expression, check its value for this item.",
		],
		[
			'useUserBrowserProfile',
			1,
			false,
			"'Use User Browser Profile' is neither true nor false: '1'",
			"If 'Use User Browser Profile' is an expression, check its value for this item.",
		],
	])('browser option %s: %p', async (field, wrong, right, message, description) => {
		const { error, items } = await runWithSecondItemWrong(AGENT, {
			browserConfig: { [field]: secondItem(wrong, right) },
		});

		expect(error).toMatchObject({ message, description, context: { itemIndex: 1 } });
		expect(items).toEqual([]);
		await expectNothingSent();
	});

	it.each<[string, INodeParameters, string]>([
		['a blank directive', { directive: secondItem(' \n ', 'x') }, "'Directive' is empty"],
		['an undefined directive', { directive: secondItem(undefined, 'x') }, "'Directive' is empty"],
		[
			'a model that is not in the list',
			{ model: secondItem('gpt-0', 'o3') },
			"'Model' has no option 'gpt-0'",
		],
		[
			'a blank custom model',
			{ model: 'custom', customModel: secondItem(' ', 'o3') },
			"'Custom Model' is empty",
		],
		[
			'a browser that is not in the list',
			{ browser: secondItem('theirs', 'service') },
			"'Browser' has no option 'theirs'",
		],
		[
			'an own browser without an address',
			{ browser: 'own', cdpUrl: secondItem('', 'ws://localhost:9222') },
			"'CDP URL' is empty",
		],
		[
			'an own browser at ftp://',
			{ browser: 'own', cdpUrl: secondItem('ftp://host:21/secret', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'an own browser at an address without a scheme',
			{ browser: 'own', cdpUrl: secondItem('host:9222', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'an own browser at a scheme without a host',
			{ browser: 'own', cdpUrl: secondItem('wss://', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'neither waiting nor not',
			{ waitUntilFinished: secondItem('perhaps', true) },
			"'Wait Until Finished' is neither true nor false: 'perhaps'",
		],
		[
			'neither simple nor not',
			{ simplify: secondItem('', true) },
			"'Simplify' is neither true nor false: it is empty",
		],
	])('%s', async (_label, parameters, message) => {
		const { error, items } = await runWithSecondItemWrong(AGENT, parameters);

		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		expect(error?.description).toBeTruthy();
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(items).toEqual([]);
		await expectNothingSent();
	});

	it.each<[string, string, unknown, unknown, string]>([
		['zero', 'maxWaitMinutes', 0, 1, "'Max Wait Minutes' must be greater than 0 (got 0)"],
		['negative', 'maxWaitMinutes', -5, 1, "'Max Wait Minutes' must be greater than 0 (got -5)"],
		['words', 'maxWaitMinutes', 'long', 1, "'Max Wait Minutes' is not a number: 'long'"],
		['undefined', 'maxWaitMinutes', undefined, 1, "'Max Wait Minutes' is empty"],
		[
			'too small',
			'pollIntervalSeconds',
			0.5,
			1,
			"'Poll Interval Seconds' must be at least 1 (got 0.5)",
		],
		[
			'words',
			'pollIntervalSeconds',
			'often',
			1,
			"'Poll Interval Seconds' is not a number: 'often'",
		],
		['no choice', 'onTimeout', 'ignore', 'fail', "'On Timeout' has no option 'ignore'"],
		['no choice', 'onUnsuccessful', 'retry', 'fail', "'On Unsuccessful' has no option 'retry'"],
		['no choice', 'onPaused', 'fail', 'wait', "'On Paused' has no option 'fail'"],
		[
			'not a boolean',
			'pauseWhenAbandoned',
			'no',
			false,
			"'Pause When Abandoned' is neither true nor false: 'no'",
		],
		[
			'not a boolean',
			'parseJsonOutput',
			0,
			false,
			"'Parse JSON Output' is neither true nor false: '0'",
		],
		['zero', 'maxParallelJobs', 0, 1, "'Max Parallel Jobs' must be at least 1 (got 0)"],
		['a fraction', 'maxParallelJobs', 1.5, 1, "'Max Parallel Jobs' is not a whole number: 1.5"],
	])('option, %s: %s', async (_label, option, wrong, right, message) => {
		for (const node of [AGENT, WORKFLOW, WAIT]) {
			const { error } = await runWithSecondItemWrong(node, {
				jobId: '={{ $json.job_id }}',
				options: { [option]: secondItem(wrong, right) },
			});

			expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		}
		await expectNothingSent();
	});

	it.each<[string, unknown, string]>([
		['negative', -1, "'Minimum Credits' must be at least 0 (got -1)"],
		['a fraction', 1.5, "'Minimum Credits' is not a whole number: 1.5"],
		['words', 'many', "'Minimum Credits' is not a number: 'many'"],
	])('Minimum Credits, %s', async (_label, wrong, message) => {
		for (const node of [AGENT, WORKFLOW]) {
			const { error } = await runWithSecondItemWrong(node, {
				options: { minimumCredits: secondItem(wrong, 1) },
			});

			expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		}
		await expectNothingSent();
	});
});

describe('an ID that cannot be one is told with its field and item, and nothing is sent', () => {
	const OPERATIONS: Array<[string, string, string, string]> = [
		['job', 'get', 'jobId', 'Job ID'],
		['job', 'wait', 'jobId', 'Job ID'],
		['job', 'pause', 'jobId', 'Job ID'],
		['job', 'resume', 'jobId', 'Job ID'],
		['jobFile', 'getAll', 'jobId', 'Job ID'],
		['workflow', 'run', 'workflowId', 'Workflow ID'],
	];

	it.each(OPERATIONS)('%s: %s', async (resource, operation, parameter, field) => {
		const node = { resource, operation };
		const problems: Array<[unknown, string]> = [
			['../v1/x', `'${field}' is not an ID`],
			['a/b', `'${field}' is not an ID`],
			['a\\b', `'${field}' is not an ID`],
			['.', `'${field}' is not an ID`],
			['..', `'${field}' is not an ID`],
			['job 1', `'${field}' is not an ID`],
			['job\n1', `'${field}' is not an ID`],
			['  ', `'${field}' is empty`],
			[undefined, `'${field}' is empty`],
			[null, `'${field}' is empty`],
			[{ id: 1 }, `'${field}' is not an ID`],
		];

		for (const [wrong, message] of problems) {
			const { error } = await runWithSecondItemWrong(node, {
				[parameter]: secondItem(wrong, 'right_1'),
			});

			expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
			expect(error?.description).toContain(`'${field}'`);
		}
		await expectNothingSent();
	});

	it('asks for the field when the item before has no job', async () => {
		const { error } = await service.run({
			resource: 'job',
			operation: 'get',
			input: [{ something: 'else' }],
		});

		expect(error?.message).toBe("'Job ID' is empty");
		await expectNothingSent();
	});
});

describe('a required field that is left empty', () => {
	it('is stopped by n8n before the node runs', async () => {
		const run = async () => await service.runAgent({ directive: '' });

		await expect(run()).rejects.toThrow();
		await expectNothingSent();
	});
});

describe('a credential that cannot be used is told, and nothing is sent', () => {
	it.each<[string, string, string]>([
		['no address', ' ', "'Base URL' is empty"],
		['an address without a scheme', 'api.example.com', "'Base URL' is not a web address"],
		['another scheme', 'ftp://api.example.com', "'Base URL' is not a web address"],
		[
			'http to a public host',
			'http://api.example.com:8080/x',
			"'Base URL' would send the API key unencrypted to api.example.com:8080",
		],
		[
			'a password in the address',
			'https://me:secret@api.example.com',
			"'Base URL' contains more than an address",
		],
		[
			'a query in the address',
			'https://api.example.com/?key=secret',
			"'Base URL' contains more than an address",
		],
	])('%s', async (_label, baseUrl, message) => {
		let wasSent = false;

		const { error } = await service.runAgent(
			{},
			{
				baseUrl,
				onRequest: () => {
					wasSent = true;
					return undefined;
				},
			},
		);

		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(wasSent).toBe(false);
	});

	it.each<[string, string]>([
		['an empty key', ''],
		['a key with a line break in it', 'sandbox\r\nX-Other: 1'],
		['a key with a space in it', 'sandbox pro key'],
		['a key with a letter that no header can carry', 'sändbox'],
	])('%s', async (_label, apiKey) => {
		const { error } = await service.runAgent({}, { apiKey });

		expect(error).toMatchObject({
			message:
				"The request was not sent: 'API Key' is empty or has characters in it that a key cannot have",
			description: expect.stringContaining('Check the Browser Agent API credential'),
		});
		await expectNothingSent();
	});

	it('ends a wait, too, since it will not get better', async () => {
		const { error } = await service.run({
			...WAIT,
			parameters: { jobId: 'job_1' },
			apiKey: 'sandbox pro key',
		});

		expect(error?.message).toMatch(/^Job job_1: The request was not sent: 'API Key' is empty/);
		await expectNothingSent();
	});

	it('takes a key with space around it', async () => {
		const { items } = await service.runAgent({}, { apiKey: ' sandbox-pro-key ' });

		expect(items[0]?.json.status).toBe('completed');
	});

	it('asks the service once about a key that only it can know to be wrong', async () => {
		const { error } = await service.runAgent({}, { apiKey: 'wrong-key-1234' });

		expect(error).toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining("Check 'API Key'"),
		});
		expect(await service.requests()).toHaveLength(1);
	});
});

import type { INodeParameters } from 'n8n-workflow';

import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

// How each kind of value is read is tested with `nodes/parameters/values`; here are the parameters.

interface Operation {
	resource: string;
	operation: string;
}

const AGENT: Operation = { resource: 'agent', operation: 'run' };
const WORKFLOW: Operation = { resource: 'workflow', operation: 'run' };
const WAIT: Operation = { resource: 'job', operation: 'wait' };

/** Runs the operation for two items. The parameters are valid for the first one, which has `isValid`. */
async function runWithSecondItemInvalid(
	operation: Operation,
	parameters: INodeParameters,
	more: Partial<SandboxRun> = {},
) {
	return await service.run({
		...operation,
		parameters: { directive: 'Find the price', workflowId: 'wf_daily_report', ...parameters },
		input: [
			{ isValid: true, job_id: 'job_1' },
			{ isValid: false, job_id: 'job_2' },
		],
		...more,
	});
}

/** An expression that gives `valid` for the first item and `invalid` for the second. */
function secondItem(invalid: unknown, valid: unknown): string {
	const value = invalid === undefined ? 'undefined' : JSON.stringify(invalid);
	return `={{ $json.isValid ? ${JSON.stringify(valid)} : ${value} }}`;
}

async function expectNothingSent(): Promise<void> {
	expect(await service.requests()).toEqual([]);
}

describe('An invalid browser option is named with its item, and nothing is sent', () => {
	const CHECK_EXPRESSION = 'If it is an expression, check its value for this item.';

	it.each<[string, unknown, unknown, string, string]>([
		// [parameter, invalid, valid, message, description]
		[
			'width',
			319,
			320,
			"'Width' must be between 320 and 4096 (got 319)",
			`Change 'Width'. ${CHECK_EXPRESSION}`,
		],
		[
			'width',
			'4097',
			'4096',
			"'Width' must be between 320 and 4096 (got 4097)",
			`Change 'Width'. ${CHECK_EXPRESSION}`,
		],
		[
			'width',
			1080.5,
			1080,
			"'Width' is not a whole number: 1080.5",
			"Enter a number without a fraction in 'Width'.",
		],
		[
			'width',
			'abc',
			1080,
			"'Width' is not a number: 'abc'",
			`Enter a number in 'Width'. ${CHECK_EXPRESSION}`,
		],
		['width', undefined, 1080, "'Width' is empty", `Fill in 'Width'. ${CHECK_EXPRESSION}`],
		[
			'height',
			4097,
			4096,
			"'Height' must be between 320 and 4096 (got 4097)",
			`Change 'Height'. ${CHECK_EXPRESSION}`,
		],
		[
			'maxDurationMinutes',
			241,
			240,
			"'Max Duration Minutes' must be between 1 and 240 (got 241)",
			`Change 'Max Duration Minutes'. ${CHECK_EXPRESSION}`,
		],
		[
			'idleTimeoutMinutes',
			0,
			1,
			"'Idle Timeout Minutes' must be between 1 and 60 (got 0)",
			`Change 'Idle Timeout Minutes'. ${CHECK_EXPRESSION}`,
		],
		[
			'residentialIp',
			'xx',
			'de',
			"'Residential IP' has no option 'xx'",
			'Choose one of: disabled, enabled, us, ca, gb, de, fr, au, jp, in, br, kr.',
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
	])('%s: %p', async (parameter, invalid, valid, message, description) => {
		const { error, items } = await runWithSecondItemInvalid(AGENT, {
			browserConfig: { [parameter]: secondItem(invalid, valid) },
		});

		expect(error).toMatchObject({ message, description, context: { itemIndex: 1 } });
		expect(items).toEqual([]);
		await expectNothingSent();
	});
});

describe('An invalid parameter of Agent: Run is named with its item, and nothing is sent', () => {
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
			'an own browser without a CDP URL',
			{ browser: 'own', cdpUrl: secondItem('', 'ws://localhost:9222') },
			"'CDP URL' is empty",
		],
		[
			'a CDP URL with ftp://',
			{ browser: 'own', cdpUrl: secondItem('ftp://host:21/secret', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'a CDP URL without a scheme',
			{ browser: 'own', cdpUrl: secondItem('host:9222', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'a CDP URL without a host',
			{ browser: 'own', cdpUrl: secondItem('wss://', 'ws://localhost:9222') },
			"'CDP URL' is not an address of a browser",
		],
		[
			'Wait Until Finished that is no boolean',
			{ waitUntilFinished: secondItem('perhaps', true) },
			"'Wait Until Finished' is neither true nor false: 'perhaps'",
		],
		[
			'Simplify that is empty',
			{ simplify: secondItem('', true) },
			"'Simplify' is neither true nor false: it is empty",
		],
	])('%s', async (_label, parameters, message) => {
		const { error, items } = await runWithSecondItemInvalid(AGENT, parameters);

		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		expect(error?.description).toBeTruthy();
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(items).toEqual([]);
		await expectNothingSent();
	});
});

describe('An invalid option is named with its item by every operation that has it, and nothing is sent', () => {
	const STARTING = [AGENT, WORKFLOW];
	const WAITING = [AGENT, WORKFLOW, WAIT];

	it.each<[string, unknown, unknown, string, Operation[]]>([
		// [option, invalid, valid, message, operations]
		['maxWaitMinutes', 0, 1, "'Max Wait Minutes' must be greater than 0 (got 0)", WAITING],
		['maxWaitMinutes', 'long', 1, "'Max Wait Minutes' is not a number: 'long'", WAITING],
		[
			'pollIntervalSeconds',
			0.5,
			1,
			"'Poll Interval Seconds' must be at least 1 (got 0.5)",
			WAITING,
		],
		['onTimeout', 'ignore', 'fail', "'On Timeout' has no option 'ignore'", WAITING],
		['onUnsuccessful', 'retry', 'fail', "'On Unsuccessful' has no option 'retry'", WAITING],
		['onPaused', 'fail', 'wait', "'On Paused' has no option 'fail'", WAITING],
		[
			'pauseWhenAbandoned',
			'no',
			false,
			"'Pause When Abandoned' is neither true nor false: 'no'",
			WAITING,
		],
		['downloadFiles', 2, false, "'Download Files' is neither true nor false: '2'", WAITING],
		['parseJsonOutput', 0, false, "'Parse JSON Output' is neither true nor false: '0'", WAITING],
		['maxParallelJobs', 0, 1, "'Max Parallel Jobs' must be at least 1 (got 0)", WAITING],
		['maxParallelJobs', 1.5, 1, "'Max Parallel Jobs' is not a whole number: 1.5", WAITING],
		['onStop', 'kill', 'leave', "'On Stop' has no option 'kill'", STARTING],
		['minimumCredits', -1, 1, "'Minimum Credits' must be at least 0 (got -1)", STARTING],
		['minimumCredits', 1.5, 1, "'Minimum Credits' is not a whole number: 1.5", STARTING],
	])('%s: %p', async (option, invalid, valid, message, operations) => {
		for (const operation of operations) {
			const { error } = await runWithSecondItemInvalid(operation, {
				jobId: '={{ $json.job_id }}',
				options: { [option]: secondItem(invalid, valid) },
			});

			expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		}
		await expectNothingSent();
	});
});

describe('An invalid ID is named with its field and item, and nothing is sent', () => {
	// What an ID can be is tested with `isId`.
	it.each<[string, string, string, string]>([
		['job', 'get', 'jobId', 'Job ID'],
		['job', 'wait', 'jobId', 'Job ID'],
		['job', 'pause', 'jobId', 'Job ID'],
		['job', 'resume', 'jobId', 'Job ID'],
		['jobFile', 'getAll', 'jobId', 'Job ID'],
		['jobFile', 'download', 'jobId', 'Job ID'],
		['workflow', 'run', 'workflowId', 'Workflow ID'],
	])('%s: %s', async (resource, operation, parameter, field) => {
		const invalidIds: Array<[unknown, string]> = [
			['../v1/x', `'${field}' is not an ID`],
			['job 1', `'${field}' is not an ID`],
			[{ id: 1 }, `'${field}' is not an ID`],
			['  ', `'${field}' is empty`],
			[null, `'${field}' is empty`],
		];

		for (const [invalid, message] of invalidIds) {
			const { error } = await runWithSecondItemInvalid(
				{ resource, operation },
				{ [parameter]: secondItem(invalid, 'valid_1') },
			);

			expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
			expect(error?.description).toContain(`'${field}'`);
		}
		await expectNothingSent();
	});

	it('job: get, whose item has no job_id', async () => {
		const { error } = await service.run({
			resource: 'job',
			operation: 'get',
			input: [{ something: 'else' }],
		});

		expect(error?.message).toBe("'Job ID' is empty");
		await expectNothingSent();
	});
});

describe('A required parameter that is left empty', () => {
	it('is refused by n8n before the node runs', async () => {
		await expect(service.runAgent({ directive: '' })).rejects.toThrow();
		await expectNothingSent();
	});
});

describe('An invalid credential', () => {
	// Which addresses are valid is tested with `toBaseUrl`.
	it.each<[string, string, string]>([
		['a base URL that is blank', ' ', "'Base URL' is empty"],
		[
			'a base URL with http to a public host',
			'http://api.example.com:8080/x',
			"'Base URL' would send the API key unencrypted to api.example.com:8080",
		],
		[
			'a base URL with a password',
			'https://me:secret@api.example.com',
			"'Base URL' contains more than an address",
		],
	])('is named, and nothing is sent: %s', async (_label, baseUrl, message) => {
		const onRequest = jest.fn();

		const { error } = await service.runAgent({}, { baseUrl, onRequest });

		expect(error?.message).toBe(message);
		expect(error?.description).toBeTruthy();
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		expect(onRequest).not.toHaveBeenCalled();
	});

	it.each<[string, string]>([
		['an empty key', ''],
		['a key with a line break', 'sandbox\r\nX-Other: 1'],
		['a key with a letter that no header can contain', 'sändbox'],
	])('is named, and nothing is sent: %s', async (_label, apiKey) => {
		const { error } = await service.runAgent({}, { apiKey });

		expect(error).toMatchObject({
			message:
				"The request was not sent: 'API Key' is empty or has characters in it that a key cannot have",
			description: expect.stringContaining('Check the Browser Agent API credential'),
		});
		await expectNothingSent();
	});

	it('ends the wait for a job at once', async () => {
		const { error } = await service.waitForJob('job_1', {}, { apiKey: 'sandbox pro key' });

		expect(error?.message).toMatch(/^Job job_1: The request was not sent: 'API Key' is empty/);
		await expectNothingSent();
	});

	it('is named after one request when only the service can know it', async () => {
		const { error } = await service.runAgent({}, { apiKey: 'wrong-key-1234' });

		expect(error).toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining("Check 'API Key'"),
		});
		expect(await service.requests()).toHaveLength(1);
	});
});

describe('A key with surrounding space', () => {
	it('is trimmed', async () => {
		const { error } = await service.runAgent(
			{ waitUntilFinished: false },
			{ apiKey: ' sandbox-pro-key ' },
		);

		expect(error).toBeUndefined();
	});
});

import type { INodeParameters } from 'n8n-workflow';

import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();

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

describe('An invalid parameter is named with its item, and nothing is sent', () => {
	// How the values of each parameter are read is tested in `test/nodes/parameters`.
	it.each<[string, Operation, INodeParameters, string, string]>([
		[
			'a directive',
			AGENT,
			{ directive: secondItem(' \n ', 'x') },
			"'Directive' is empty",
			"Fill in 'Directive'. If it is an expression, check its value for this item.",
		],
		[
			'a browser option',
			AGENT,
			{ browserConfig: { width: secondItem(5000, 4096) } },
			"'Width' must be between 320 and 4096 (got 5000)",
			"Change 'Width'. If it is an expression, check its value for this item.",
		],
		[
			'a CDP URL, which is not shown',
			AGENT,
			{ browser: 'own', cdpUrl: secondItem('ftp://host:21/secret', 'ws://localhost:9222') },
			"'CDP URL' is not a valid browser address",
			'Enter a URL that starts with wss://, ws://, https:// or http://.',
		],
		[
			'a choice',
			AGENT,
			{ model: secondItem('gpt-0', 'custom'), customModel: 'x' },
			"'Model' has no option 'gpt-0'",
			expect.stringMatching(/^Choose one of: .*, o3, .*, custom\.$/),
		],
		[
			'an option of a start',
			WORKFLOW,
			{ options: { minimumCredits: secondItem(1.5, 1) } },
			"'Minimum Credits' is not a whole number: 1.5",
			"Enter a number without a fraction in 'Minimum Credits'.",
		],
		[
			'an option of a download',
			{ resource: 'jobFile', operation: 'download' },
			{ jobId: 'job_1', options: { maxFileSizeMb: secondItem('much', 1) } },
			"'Max File Size (MB)' is not a number: 'much'",
			"Enter a number in 'Max File Size (MB)'. If it is an expression, check its value for this item.",
		],
		[
			'the field for a file',
			{ resource: 'jobFile', operation: 'download' },
			{ jobId: 'job_1', binaryPropertyName: secondItem('', 'data') },
			"'Put Output File in Field' is empty",
			"Fill in 'Put Output File in Field'. If it is an expression, check its value for this item.",
		],
	])('%s', async (_label, operation, parameters, message, description) => {
		const { error, items } = await runWithSecondItemInvalid(operation, parameters);

		expect(error).toMatchObject({ message, description, context: { itemIndex: 1 } });
		expect(items).toEqual([]);
		await expectNothingSent();
	});

	it.each<[string, Operation]>([
		['Agent: Run', AGENT],
		['Workflow: Run', WORKFLOW],
		['Job: Wait', WAIT],
	])('an option of waiting, of %s', async (_label, operation) => {
		const { error } = await runWithSecondItemInvalid(operation, {
			jobId: '={{ $json.job_id }}',
			options: { maxWaitMinutes: secondItem(0, 1) },
		});

		expect(error).toMatchObject({
			message: "'Max Wait (Minutes)' must be greater than 0 (got 0)",
			context: { itemIndex: 1 },
		});
		await expectNothingSent();
	});

	it.each<[string, string, string, string]>([
		['job', 'get', 'jobId', 'Job ID'],
		['job', 'wait', 'jobId', 'Job ID'],
		['job', 'pause', 'jobId', 'Job ID'],
		['job', 'resume', 'jobId', 'Job ID'],
		['jobFile', 'getAll', 'jobId', 'Job ID'],
		['jobFile', 'download', 'jobId', 'Job ID'],
		['workflow', 'run', 'workflowId', 'Workflow ID'],
	])('the ID of %s: %s', async (resource, operation, parameter, field) => {
		const { error } = await runWithSecondItemInvalid(
			{ resource, operation },
			{ [parameter]: secondItem('../v1/x', 'valid_1') },
		);

		expect(error).toMatchObject({
			message: expect.stringMatching(
				`^'${field}' (is not a valid ID$|contains an entry that is not)`,
			),
			context: { itemIndex: 1 },
		});
		await expectNothingSent();
	});

	it('a directive that is left empty, by n8n itself', async () => {
		await expect(service.runAgent({ directive: '' })).rejects.toThrow();
		await expectNothingSent();
	});

	it('the ID of a job when the item has no job_id', async () => {
		const { error } = await service.run({ resource: 'job', operation: 'get' });

		expect(error?.message).toBe("'Job ID' is empty");
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
			message: "The request was not sent: 'API Key' is empty or contains invalid characters",
			description: expect.stringContaining('Check the Browser Agent API credential'),
		});
		await expectNothingSent();
	});

	it('ends the wait for a job at once', async () => {
		const { error } = await service.waitForJob('job_1', {}, { apiKey: 'sandbox pro key' });

		expect(error?.message).toMatch(/^Job job_1: The request was not sent: 'API Key' is empty/);
		await expectNothingSent();
	});

	it('is no key with surrounding space, which is trimmed', async () => {
		const { status } = await service.runAgent({}, { apiKey: ' sandbox-pro-key ' });

		expect(status).toBe('success');
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

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
			'a CDP URL, which is not shown',
			AGENT,
			{ browser: 'own', cdpUrl: secondItem('ftp://host:21/secret', 'ws://localhost:9222') },
			"'CDP URL' is not a valid browser address",
			'Enter a URL that starts with wss://, ws://, https:// or http://.',
		],
		[
			'an option of a start',
			WORKFLOW,
			{ options: { minimumCredits: secondItem(1.5, 1) } },
			"'Minimum Credits' is not a whole number: 1.5",
			"Change 'Minimum Credits'. If it is an expression, check its value for this item.",
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

// Which addresses and keys are valid is tested with `toBaseUrl` and `ClientFactory`.
it('An invalid credential is named without what is secret in it, and nothing is sent', async () => {
	const onRequest = jest.fn();
	const baseUrl = 'https://me:secret@api.example.com';

	const { error } = await service.runAgent({}, { baseUrl, onRequest });

	expect(error?.message).toBe("'Base URL' contains more than an address");
	expect(error?.description).toBeTruthy();
	expect(error?.description).not.toContain('secret');
	expect(onRequest).not.toHaveBeenCalled();
});

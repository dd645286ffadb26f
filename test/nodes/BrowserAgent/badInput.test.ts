import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

interface Operation {
	resource: string;
	operation: string;
}

const AGENT: Operation = { resource: 'agent', operation: 'run' };
const WORKFLOW: Operation = { resource: 'workflow', operation: 'run' };
const WAIT: Operation = { resource: 'job', operation: 'wait' };

/**
 * Runs the operation for two items. The parameters are valid for the first one, which has
 * `isValid`.
 */
async function runWithSecondItemInvalid(operation: Operation, parameters: INodeParameters) {
	return await service.run({
		...operation,
		parameters: { directive: 'Find the price', workflowId: 'wf_daily_report', ...parameters },
		input: [
			{ isValid: true, job_id: 'job_1' },
			{ isValid: false, job_id: 'job_2' },
		],
	});
}

/** An expression that gives `valid` for the first item and `invalid` for the second. */
function secondItem(invalid: unknown, valid: unknown): string {
	return `={{ $json.isValid ? ${JSON.stringify(valid)} : ${JSON.stringify(invalid)} }}`;
}

const DOWNLOAD: Operation = { resource: 'jobFile', operation: 'download' };
const NO_ID = "'Workflow ID' is not a valid ID";
const NO_FIELD = "'Put Output File in Field' is empty";
const INVALID_WAIT = { options: { maxWaitMinutes: secondItem(0, 1) } };
const TOO_SHORT = "'Max Wait (Minutes)' must be greater than 0 (got 0)";

describe('An invalid parameter is named with its item, and nothing is sent', () => {
	// How the values of each parameter are read is tested in `test/nodes/parameters`.
	it.each<[string, Operation, INodeParameters, string]>([
		['a directive', AGENT, { directive: secondItem(' \n ', 'x') }, "'Directive' is empty"],
		['the field for a file', DOWNLOAD, { binaryPropertyName: secondItem('', 'data') }, NO_FIELD],
		[
			'an option of a start',
			WORKFLOW,
			{ options: { minimumCredits: secondItem(1.5, 1) } },
			"'Minimum Credits' is not a whole number: 1.5",
		],
		['an option of Agent: Run', AGENT, INVALID_WAIT, TOO_SHORT],
		['an option of Job: Wait', WAIT, INVALID_WAIT, TOO_SHORT],
		['a job', WAIT, { jobId: secondItem('../v1', 'a') }, "'Job ID': entry 1 is not a job ID"],
		['a workflow', WORKFLOW, { workflowId: secondItem('/', 'a') }, NO_ID],
		[
			"the CDP URL of the user's own browser that an expression gives as undefined",
			AGENT,
			{
				browserConfig: {
					cdpUrl: "={{ $json.isValid ? 'wss://browser.example.com' : $json.gone }}",
				},
			},
			"'Own Browser CDP URL' is empty",
		],
	])('%s', async (_label, operation, parameters, message) => {
		const { error, items } = await runWithSecondItemInvalid(operation, parameters);

		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
		expect(items).toEqual([]);
		expect(await service.requests()).toEqual([]);
	});

	it.each<[string, INodeParameters, string]>([
		['a parameter', { directive: '={{ $("Gone").item.json.task }}' }, 'Directive'],
		['an option', { options: { maxWaitMinutes: '={{ $("Gone").item.json.time }}' } }, 'Options'],
	])('%s whose expression n8n cannot evaluate', async (_label, parameters, name) => {
		const { error } = await runWithSecondItemInvalid(AGENT, parameters);

		expect(error).toMatchObject({
			message: `'${name}': Referenced node doesn't exist`,
			context: { itemIndex: 0 },
		});
		expect(await service.requests()).toEqual([]);
	});

	it('a directive that is left empty, by n8n itself', async () => {
		await expect(service.runAgent({ directive: '' })).rejects.toThrow(
			"The 'Browser Agent' node has issues",
		);
		expect(await service.requests()).toEqual([]);
	});
});

describe('A text into which an expression inserts an object', () => {
	it.each<[string, string, INodeParameters]>([
		['Directive', 'agent', { directive: '=Find {{ $json.lamp }}' }],
		['Custom Model', 'agent', { model: 'custom', customModel: '={{ "m " + $json.lamp }}' }],
		['Payload', 'workflow', { payload: '=Find {{ $json.lamp }}' }],
	])('is sent, with one hint about %s before the result', async (name, resource, parameters) => {
		const lamp = { name: 'Lamp' };

		const { json, task } = await service.run({
			resource,
			operation: 'run',
			parameters: { directive: 'Go', workflowId: 'wf_daily_report', ...parameters },
			input: [{ lamp }, { lamp }],
		});

		expect(json).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
		expect(task?.hints?.map(({ message }) => message)).toEqual([
			`'${name}' contains "[object Object]". If an expression inserts an object there, add .toJsonString() to it.`,
			'2 jobs: 2 completed.',
		]);
	});
});

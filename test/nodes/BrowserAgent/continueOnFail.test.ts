import type { INode, INodeExecutionData } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const REGULAR_OUTPUT: Partial<INode> = { onError: 'continueRegularOutput' };
const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

/** Four jobs: one that succeeds, one that fails, one that nobody knows, one that succeeds. */
async function givenMixedJobs(): Promise<string[]> {
	return [
		await service.givenJob({ statuses: ['completed'], output: 'first' }),
		await service.givenJob({ statuses: ['failed'], error: 'A captcha' }),
		'job_gone',
		await service.givenJob({ statuses: ['completed'], output: 'last' }),
	];
}

async function waitForAll(jobIds: string[], settings: Partial<INode>) {
	return await service.run({
		resource: 'job',
		operation: 'wait',
		input: jobIds.map((jobId) => ({ job_id: jobId })),
		settings,
	});
}

const pairs = (items: INodeExecutionData[]) => items.map(({ pairedItem }) => pairedItem);

describe('Continue (using regular output)', () => {
	it('puts an item with the error in the place of each item that failed', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems, status } = await waitForAll(jobIds, REGULAR_OUTPUT);

		expect(status).toBe('success');
		expect(items.map(({ json }) => json.output ?? json)).toEqual([
			'first',
			{ error: `Job ${jobIds[1]} failed: A captcha` },
			{ error: 'Job job_gone was not found' },
			'last',
		]);
		expect(errorItems).toEqual([]);
	});

	it('pairs good and failed items with the items they come from', async () => {
		const jobIds = await givenMixedJobs();

		const { items } = await waitForAll(jobIds, REGULAR_OUTPUT);

		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
	});

	it('gives each failed item its error with the index of the item', async () => {
		const jobIds = await givenMixedJobs();

		const { items } = await waitForAll(jobIds, REGULAR_OUTPUT);

		expect(items[1]?.error).toMatchObject({
			message: `Job ${jobIds[1]} failed: A captcha`,
			description: expect.stringContaining("'On Unsuccessful'"),
			context: { itemIndex: 1, jobIds: [jobIds[1]] },
		});
		expect(items[2]?.error).toMatchObject({ context: { itemIndex: 2 } });
	});

	it('runs the good items of a batch beside one with bad input', async () => {
		const { items } = await service.runAgent(
			{ browserConfig: { width: '={{ $json.width }}' } },
			{
				input: [{ width: 5000 }, { width: 400 }, { width: 'abc' }],
				settings: REGULAR_OUTPUT,
			},
		);

		expect(items.map(({ json }) => json.error ?? json.status)).toEqual([
			"'Width' must be between 320 and 4096 (got 5000)",
			'completed',
			"'Width' is not a number: 'abc'",
		]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(await service.admin.jobs()).toHaveLength(1);
	});

	it('does not stop the jobs of the other items when one fails', async () => {
		await service.admin.nextJobs([
			{ match: 'bad', statuses: ['failed'] },
			{ match: 'good', durationSeconds: 20 },
			{ match: 'good', durationSeconds: 20 },
		]);

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { pauseWhenAbandoned: true } },
			{
				input: [{ task: 'good' }, { task: 'bad' }, { task: 'good' }],
				settings: REGULAR_OUTPUT,
			},
		);

		expect(items.map(({ json }) => json.status)).toEqual(['completed', undefined, 'completed']);
		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});

	it('says of a start that went wrong whether a job may be running', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' });

		const { items } = await service.runAgent({}, { settings: REGULAR_OUTPUT });

		expect(items[0]?.json.error).toMatch(
			/^It is unclear whether a job was started; a job may be running\./,
		);
	});

	it('makes every item a failed one when the credential cannot be used', async () => {
		const { items } = await service.runAgent(
			{},
			{ baseUrl: 'http://api.example.com', input: [{}, {}], settings: REGULAR_OUTPUT },
		);

		const error = "'Base URL' would send the API key unencrypted to api.example.com";
		expect(items.map(({ json }) => json)).toEqual([{ error }, { error }]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('makes every item a failed one when there are too few credits', async () => {
		await service.admin.setCredits('sandbox-pro-key', 1);

		const { items } = await service.runAgent(
			{ options: { minimumCredits: 2 } },
			{ input: [{}, {}], settings: REGULAR_OUTPUT },
		);

		expect(items.map(({ json }) => json.error)).toEqual(
			Array(2).fill(expect.stringContaining("fewer than 'Minimum Credits' (2)")),
		);
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('works for a node that was made before n8n had the two forms', async () => {
		const { items } = await waitForAll(['job_gone'], { continueOnFail: true });

		expect(items).toMatchObject([
			{ json: { error: 'Job job_gone was not found' }, pairedItem: { item: 0 } },
		]);
	});
});

describe('Continue (using error output)', () => {
	it('sends failed items to the error output and good ones to the regular one', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems, status } = await waitForAll(jobIds, ERROR_OUTPUT);

		expect(status).toBe('success');
		expect(items.map(({ json }) => json.output)).toEqual(['first', 'last']);
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			`Job ${jobIds[1]} failed: A captcha`,
			'Job job_gone was not found',
		]);
	});

	it('pairs the items of both outputs with the items they come from', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems } = await waitForAll(jobIds, ERROR_OUTPUT);

		expect(pairs(items)).toEqual([{ item: 0 }, { item: 3 }]);
		expect(pairs(errorItems)).toEqual([{ item: 1 }, { item: 2 }]);
	});

	it('sends items with bad input to the error output and runs the others', async () => {
		const { items, errorItems } = await service.runAgent(
			{ directive: '={{ $json.task }}', waitUntilFinished: false },
			{ input: [{ task: '' }, { task: 'Find it' }], settings: ERROR_OUTPUT },
		);

		expect(errorItems).toMatchObject([
			{ json: { error: "'Directive' is empty" }, pairedItem: { item: 0 } },
		]);
		expect(items).toMatchObject([{ json: { status: 'running' }, pairedItem: { item: 1 } }]);
	});

	it('keeps a job that did not succeed at the regular output when it is to be returned', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { items, errorItems } = await service.run({
			resource: 'job',
			operation: 'wait',
			parameters: { jobId, options: { onUnsuccessful: 'return' } },
			settings: ERROR_OUTPUT,
		});

		expect(items[0]?.json).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(errorItems).toEqual([]);
	});
});

describe('without Continue On Fail', () => {
	it.each<[string, string, string]>([
		['job', 'get', 'running'],
		['job', 'pause', 'running'],
		['job', 'resume', 'paused'],
		['jobFile', 'getAll', 'running'],
	])('the first item that fails ends %s: %s', async (resource, operation, jobStatus) => {
		const jobId = await service.givenJob([jobStatus]);

		const { error, items, status } = await service.run({
			resource,
			operation,
			input: [{ job_id: jobId }, { job_id: 'job_gone' }],
		});

		expect(status).toBe('error');
		expect(error).toMatchObject({
			message: 'Job job_gone was not found',
			context: { itemIndex: 1 },
		});
		expect(items).toEqual([]);
	});
});

import type { INode, INodeExecutionData } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const REGULAR_OUTPUT: Partial<INode> = { onError: 'continueRegularOutput' };
const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

/** Four jobs: one completed, one failed, one unknown to the service, one completed. */
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
	it('returns an item with the error in the place of each failed item', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems, status } = await waitForAll(jobIds, REGULAR_OUTPUT);

		expect(status).toBe('success');
		expect(items.map(({ json }) => json.output ?? json.error)).toEqual([
			'first',
			`Job ${jobIds[1]} failed: A captcha`,
			'Job job_gone was not found',
			'last',
		]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
		expect(errorItems).toEqual([]);
	});

	it('gives each failed item what is known of its job', async () => {
		const jobIds = await givenMixedJobs();

		const { items } = await waitForAll(jobIds, REGULAR_OUTPUT);

		expect(items[1]?.json).toEqual({
			error: `Job ${jobIds[1]} failed: A captcha`,
			details: {
				job_id: jobIds[1],
				status: 'failed',
				live_url: expect.stringContaining('http'),
				history_url: expect.stringContaining('http'),
				credits_used: expect.any(Number),
			},
		});
		expect(items[2]?.json.details).toEqual({ job_id: 'job_gone' });
	});

	it('knows the links and the status of a job that was not finished in time', async () => {
		await service.admin.nextJob(['running']);

		const { items } = await service.runAgent(
			{ options: { maxWaitMinutes: 0.1, pauseWhenAbandoned: true } },
			{ settings: REGULAR_OUTPUT },
		);

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toMatchObject({
			error: `Job ${job?.job_id} was still running after 0.1 minutes`,
			details: { job_id: job?.job_id, status: 'paused', live_url: expect.any(String) },
		});
	});

	it('knows no job of an unclear start, nor of an invalid parameter', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}' },
			{ input: [{ task: 'a' }, { task: '' }], settings: REGULAR_OUTPUT },
		);

		expect(items.map(({ json }) => Object.keys(json))).toEqual([['error'], ['error']]);
	});

	it('runs the valid items beside one with an invalid parameter', async () => {
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

	it('does not pause the jobs of the other items when one fails', async () => {
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

	it('says in the item that it is unclear whether a job was started', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' });

		const { items } = await service.runAgent({}, { settings: REGULAR_OUTPUT });

		expect(items[0]?.json.error).toMatch(
			/^It is unclear whether a job was started; a job may be running\./,
		);
	});

	it('returns an error for every item when the credential is invalid', async () => {
		const { items } = await service.runAgent(
			{},
			{ baseUrl: 'http://api.example.com', input: [{}, {}], settings: REGULAR_OUTPUT },
		);

		const error = "'Base URL' would send the API key unencrypted to api.example.com";
		expect(items.map(({ json }) => json)).toEqual([{ error }, { error }]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('returns an error for every item when there are too few credits', async () => {
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

	it("is what an older workflow's Continue On Fail means", async () => {
		const { items } = await waitForAll(['job_gone'], { continueOnFail: true });

		expect(items).toMatchObject([
			{ json: { error: 'Job job_gone was not found' }, pairedItem: { item: 0 } },
		]);
	});
});

describe('Continue (using error output)', () => {
	it('returns failed items at the error output and the others at the regular one', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems, status } = await waitForAll(jobIds, ERROR_OUTPUT);

		expect(status).toBe('success');
		expect(items.map(({ json }) => json.output)).toEqual(['first', 'last']);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 3 }]);
		expect(errorItems.map(({ json }) => json)).toMatchObject([
			{
				error: `Job ${jobIds[1]} failed: A captcha`,
				details: { job_id: jobIds[1], status: 'failed' },
			},
			{ error: 'Job job_gone was not found', details: { job_id: 'job_gone' } },
		]);
		expect(pairs(errorItems)).toEqual([{ item: 1 }, { item: 2 }]);
	});

	it('runs the valid items beside one with an invalid parameter', async () => {
		const { items, errorItems } = await service.runAgent(
			{ directive: '={{ $json.task }}', waitUntilFinished: false },
			{ input: [{ task: '' }, { task: 'Find it' }], settings: ERROR_OUTPUT },
		);

		expect(errorItems).toMatchObject([
			{ json: { error: "'Directive' is empty" }, pairedItem: { item: 0 } },
		]);
		expect(items).toMatchObject([{ json: { status: 'running' }, pairedItem: { item: 1 } }]);
	});

	it('returns a failed job at the regular output when On Job Failure is Return', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { items, errorItems } = await service.waitForJob(
			jobId,
			{ onUnsuccessful: 'return' },
			{ settings: ERROR_OUTPUT },
		);

		expect(items[0]?.json).toMatchObject({ status: 'failed', job_error: 'A captcha' });
		expect(errorItems).toEqual([]);
	});
});

describe('Without Continue On Fail', () => {
	it.each<[string, string, string]>([
		['job', 'get', 'running'],
		['job', 'pause', 'running'],
		['job', 'resume', 'paused'],
		['jobFile', 'getAll', 'running'],
	])('the first failing item ends %s: %s', async (resource, operation, jobStatus) => {
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

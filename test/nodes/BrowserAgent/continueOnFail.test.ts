import type { INodeExecutionData } from 'n8n-workflow';

import { CONTINUE, ERROR_OUTPUT } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

/** Four jobs: one completed, one failed, one unknown to the service, one completed. */
async function givenMixedJobs(): Promise<string[]> {
	const [first = '', failed = '', last = ''] = await service.givenJobs(
		{ statuses: ['completed'], output: 'first' },
		{ statuses: ['failed'], error: 'A captcha' },
		{ statuses: ['completed'], output: 'last' },
	);
	return [first, failed, 'job_gone', last];
}

const pairs = (items: INodeExecutionData[]) => items.map(({ pairedItem }) => pairedItem);

describe('Continue (using regular output)', () => {
	it('returns each failed item in its place, with its error and what is known of its job', async () => {
		const jobIds = await givenMixedJobs();

		const { items, json, errorItems, status } = await service.waitForJobs(
			jobIds,
			{},
			{ settings: CONTINUE },
		);

		expect(status).toBe('success');
		expect(json.map(({ output, error }) => output ?? error)).toEqual([
			'first',
			`Job ${jobIds[1]} failed: A captcha`,
			'Job job_gone was not found',
			'last',
		]);
		expect(json[1]?.details).toMatchObject({
			job_id: jobIds[1],
			status: 'failed',
			live_url: expect.stringContaining('http'),
			history_url: expect.stringContaining('http'),
			credits_used: expect.any(Number),
		});
		expect(json[2]?.details).toEqual({
			job_id: 'job_gone',
			description: expect.stringMatching(/^Check the ID/) as string,
		});
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
		expect(errorItems).toEqual([]);
	});

	it('says as plain text why the service did not accept a request', async () => {
		const body = {
			detail: [{ loc: ['body', 'directive'], msg: '<b>Too rude</b>, sandbox-pro-key' }],
		};
		await service.fault('startAgent', 422, { body });

		const { json } = await service.runAgent({}, { settings: CONTINUE });

		expect(json).toEqual([
			{
				error: 'The service did not accept the request (HTTP 422)',
				details: {
					description:
						"Check the node's parameters, and 'Base URL' in the Browser Agent API credential. Response: 'directive': ‹b›Too rude‹/b›, [hidden].",
				},
			},
		]);
	});

	it('has no HTML for the pages of a job', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { json } = await service.runAgent({}, { settings: CONTINUE });

		const { description } = (json[0]?.details ?? {}) as { description?: string };
		expect(description).toMatch(/^Check what the agent did, .*'Return Instead of Failing'\.$/);
	});

	it('names the file that could not be downloaded', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			files: [{ filename: 'a.pdf', content: 'A' }],
		});
		await service.fault('file', 404, { times: 'always' });
		const parameters = { jobId };

		const { json } = await service.run({
			...{ resource: 'jobFile', operation: 'download', parameters },
			settings: CONTINUE,
		});

		expect(json[0]?.details).toEqual({
			job_id: jobId,
			description: expect.stringMatching(/^Try again later, or check/) as string,
			filename: 'a.pdf',
		});
	});

	it('runs the valid items beside those with an invalid parameter', async () => {
		const input = [{ width: 5000 }, { width: 400 }, { width: 'abc' }];

		const { items, json } = await service.runAgent(
			{ browserConfig: { width: '={{ $json.width }}' } },
			{ input, settings: CONTINUE },
		);

		expect(json.map(({ error, status }) => error ?? status)).toEqual([
			"'Width' must be between 320 and 4096 (got 5000)",
			'completed',
			"'Width' is not a number: 'abc'",
		]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(await service.jobIds()).toHaveLength(1);
	});

	it('does not pause the jobs of the other items when one fails', async () => {
		const good = { durationSeconds: 20 };
		const jobIds = await service.givenJobs(good, ['failed'], good);

		const { json } = await service.waitForJobs(
			jobIds,
			{ pauseJob: 'onEarlyEnd' },
			{ settings: CONTINUE },
		);

		expect(json.map(({ status }) => status)).toEqual(['completed', undefined, 'completed']);
		expect(await service.sent('pauseJob')).toEqual([]);
	});

	it('returns an error for every item when the credential is invalid', async () => {
		const baseUrl = 'http://api.example.com';

		const { items, json } = await service.runAgent(
			{},
			{ baseUrl, input: [{}, {}], settings: CONTINUE },
		);

		const error = "'Base URL' would send the API key unencrypted to api.example.com";
		const details = { description: expect.stringMatching(/^Use an 'https:/) as string };
		expect(json).toEqual([
			{ error, details },
			{ error, details },
		]);
		expect(pairs(items)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(await service.jobIds()).toEqual([]);
	});

	it("is what an older workflow's Continue On Fail means", async () => {
		const settings = { continueOnFail: true };

		const { json } = await service.waitForJob('job_gone', {}, { settings });

		expect(json).toMatchObject([{ error: 'Job job_gone was not found' }]);
	});
});

describe('Continue (using error output)', () => {
	it('returns failed items at the error output and the others at the regular one', async () => {
		const jobIds = await givenMixedJobs();

		const { items, errorItems, status } = await service.waitForJobs(
			jobIds,
			{},
			{ settings: ERROR_OUTPUT },
		);

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
});

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type INode,
	type IRun,
	type IWorkflowBase,
} from 'n8n-workflow';

import { createAdditionalData, createWorkflow, execute } from '../../../dev/engine/engine';
import { holdRequests } from '../../support/holdRequests';
import {
	AGENT_TYPE,
	agentNode,
	credentialFor,
	inputNode,
	NODE_NAME,
	RETRY_ON_FAIL,
	testNode,
	testNodeType,
	toResult,
	type NodeResult,
} from '../../support/runNode';
import { TestAgent } from '../../support/testRuntime';
import { useSandbox, type FaultCase } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const RETRY_AND_CONTINUE: Partial<INode> = { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' };
const NOT_STARTED_AGAIN = 'Not started again: an earlier try may have started a job already';

async function startsSent(): Promise<number> {
	const { requests } = await service.admin.counters();
	return requests.startAgent + requests.runWorkflow;
}

describe('Retry On Fail after an unclear start', () => {
	// What makes a start unclear is tested with `ServiceError`.
	it.each<[string, FaultCase]>([
		['a 500', { kind: 'status', status: 500 }],
		['a 503 although the job was started', { kind: 'status', status: 503, when: 'after' }],
		['a redirect with 303', { kind: 'redirect', status: 303, when: 'after' }],
		['a reset connection', { kind: 'reset' }],
		['a reset connection although the job was started', { kind: 'reset', when: 'after' }],
		['a response that does not come', { kind: 'stall', when: 'after' }],
		['a truncated response', { kind: 'truncate', when: 'after' }],
		['a body without a job ID', { kind: 'body', body: { status: 'running' }, when: 'after' }],
		['a job ID that is none', { kind: 'body', body: { job_id: '../x' }, when: 'after' }],
	])('sends no second start: %s', async (_label, fault) => {
		await service.admin.fault({ endpoint: 'startAgent', ...fault });

		const { error } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(1);
		expect(error).toMatchObject({
			message: NOT_STARTED_AGAIN,
			description: expect.stringContaining('a job may be running'),
			context: { itemIndex: 0 },
		});
	});

	it('sends no second start after an error of the encryption', async () => {
		const { url } = service;
		const { error } = await service.runAgent(
			{},
			{
				settings: RETRY_ON_FAIL,
				onRequest: () => ({ url: `${url.replace('http:', 'https:')}/v1/run_browser_agent` }),
			},
		);

		expect(await startsSent()).toBe(0);
		expect(error?.message).toBe(NOT_STARTED_AGAIN);
	});

	it('sends no second start with Continue On Fail', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' });

		const { items } = await service.runAgent({}, { settings: RETRY_AND_CONTINUE });

		expect(await startsSent()).toBe(1);
		expect(items[0]?.json.error).toBe(NOT_STARTED_AGAIN);
	});

	it('sends no second start of a workflow', async () => {
		await service.admin.fault({ endpoint: 'runWorkflow', kind: 'reset', when: 'after' });

		const { error } = await service.runWorkflow({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(1);
		expect(error?.message).toBe(NOT_STARTED_AGAIN);
	});

	it('starts the other items of the batch once each', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 500 });

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}' },
			{ input: [{ task: 'a' }, { task: 'b' }, { task: 'c' }], settings: RETRY_AND_CONTINUE },
		);

		expect(await service.admin.jobs()).toHaveLength(2);
		expect(await startsSent()).toBe(3);
		expect(items.filter(({ json }) => json.error === NOT_STARTED_AGAIN)).toHaveLength(1);
	});
});

describe('Retry On Fail after a rejected start', () => {
	it.each<[string, FaultCase]>([
		['a 402', { kind: 'status', status: 402 }],
		['a 422', { kind: 'status', status: 422 }],
		['a redirect with 307', { kind: 'redirect', status: 307 }],
	])('starts the job: %s', async (_label, fault) => {
		await service.admin.fault({ endpoint: 'startAgent', ...fault });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(2);
		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('starts the job: a refused connection', async () => {
		let tries = 0;

		const { items } = await service.runAgent(
			{},
			{
				settings: RETRY_ON_FAIL,
				onRequest: () => (++tries === 1 ? { url: 'http://127.0.0.1:1/' } : undefined),
			},
		);

		expect(await startsSent()).toBe(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('starts only the items of a batch that were not started before', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402, skip: 1 });

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 1 } },
			{
				input: [{ task: 'first' }, { task: 'second' }, { task: 'third' }],
				settings: RETRY_ON_FAIL,
			},
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual(['first', 'second', 'third']);
		expect(items.map(({ json }) => json.job_id)).toEqual(jobs.map(({ job_id }) => job_id));
	});

	it('starts each item once when Wait Until Finished is off', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402, skip: 1 });

		const { items } = await service.runAgent(
			{ waitUntilFinished: false },
			{ input: [{}, {}], settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(2);
		expect(items.map(({ json }) => json.job_id)).toEqual(jobs.map(({ job_id }) => job_id));
	});
});

describe('Retry On Fail after a started job', () => {
	it.each<[string, Partial<INode>]>([
		['', {}],
		[', with Continue (using regular output)', { onError: 'continueRegularOutput' }],
		[', with Continue (using error output)', { onError: 'continueErrorOutput' }],
	])('starts no second one when it has failed%s', async (_label, settings) => {
		await service.admin.nextJob({ statuses: ['running', 'failed'], error: 'A captcha' });

		const { error, items, errorItems } = await service.runAgent(
			{},
			{ settings: { ...RETRY_ON_FAIL, ...settings } },
		);

		const [job, ...others] = await service.admin.jobs();
		const [failed] = [...items, ...errorItems];
		expect(others).toEqual([]);
		expect(error?.message ?? failed?.json.error).toBe(`Job ${job?.job_id} failed: A captcha`);
	});

	it('continues to wait for it after a time-out', async () => {
		await service.admin.nextJob({ durationSeconds: 60 });

		const { items } = await service.runAgent(
			{ options: { maxWaitMinutes: 0.75 } },
			{ settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ job_id: jobs[0]?.job_id, status: 'completed' });
	});

	it('starts no second one when every try times out', async () => {
		await service.admin.nextJob(['running']);

		const { error } = await service.runAgent(
			{ options: { maxWaitMinutes: 0.1 } },
			{ settings: RETRY_ON_FAIL },
		);

		const [job, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(error?.message).toBe(`Job ${job?.job_id} was still running after 0.1 minutes`);
	});

	it('resumes the job that the node paused when the earlier try ended', async () => {
		await service.admin.nextJob({ durationSeconds: 60 });
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { items } = await service.runAgent(
			{ options: { pauseWhenAbandoned: true } },
			{ settings: RETRY_ON_FAIL },
		);

		const [job, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(job).toMatchObject({ pauses: 1, resumes: 1 });
		expect(items[0]?.json.status).toBe('completed');
	});

	it.each<[string, Partial<INode>]>([
		['', {}],
		[' and Continue On Fail', { onError: 'continueRegularOutput' }],
	])(
		'pauses it again when it is unclear whether the last try has resumed it%s',
		async (...given) => {
			const [, settings] = given;
			await service.admin.nextJob(['running']);
			await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });
			await service.admin.fault({
				endpoint: 'resumeJob',
				kind: 'status',
				status: 503,
				when: 'after',
			});

			await service.runAgent(
				{ options: { pauseWhenAbandoned: true } },
				{ settings: { ...RETRY_ON_FAIL, maxTries: 2, ...settings } },
			);

			const [job] = await service.admin.jobs();
			expect(job).toMatchObject({ status: 'paused', pauses: 2, resumes: 1 });
		},
	);

	it('continues with it after an error that has ended the wait', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { items } = await service.runAgent(
			{ options: { minimumCredits: 1 } },
			{ settings: RETRY_ON_FAIL },
		);

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(await service.requests({ endpoint: 'getCreditBalance' })).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('returns its result when the credits have fallen below Minimum Credits', async () => {
		await service.admin.fault({ endpoint: 'getJobFiles', kind: 'status', status: 403 });
		await service.admin.fault({
			endpoint: 'getCreditBalance',
			kind: 'body',
			body: { plan: 'pro', unlimited: false, credit_balance: 0 },
			skip: 1,
		});

		const { items } = await service.runAgent(
			{ options: { minimumCredits: 1, downloadFiles: true } },
			{ settings: RETRY_ON_FAIL },
		);

		expect(await startsSent()).toBe(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('continues with the job of a workflow, with its workflow and conversation', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { items } = await service.runWorkflow({}, { settings: RETRY_ON_FAIL });

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			workflow_id: 'wf_daily_report',
			conversation_id: expect.stringMatching(/^conv_/),
		});
	});

	it('returns the results of a batch that an earlier try has seen, without another poll', async () => {
		await service.admin.nextJobs([
			{ match: 'first', statuses: ['completed'] },
			{ match: 'second', statuses: ['completed'] },
		]);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403, skip: 1 });

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 1 } },
			{ input: [{ task: 'first' }, { task: 'second' }], settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ polls }) => polls)).toEqual([1, 1]);
		expect(items.map(({ json }) => json.job_id)).toEqual(jobs.map(({ job_id }) => job_id));
	});

	it('joins a start of an earlier try that is not answered yet', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });
		const { onRequest, sent, release } = holdRequests('second');
		const execution = service.startAgent(
			{ directive: '={{ $json.task }}' },
			{ input: [{ task: 'first' }, { task: 'second' }], settings: RETRY_ON_FAIL, onRequest },
		);
		await sent();
		await waitFor(async () => expect((await service.admin.counters()).polls).toBeGreaterThan(1));

		release();

		const { items } = await toResult(execution.finished);
		expect(await service.admin.jobs()).toHaveLength(2);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	it('starts nothing more of a batch in which a job has failed', async () => {
		await service.admin.nextJobs([{ match: 'first', statuses: ['failed'], error: 'A captcha' }]);

		const { error } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 1 } },
			{ input: [{ task: 'first' }, { task: 'second' }], settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual(['first']);
		expect(error?.message).toBe(`Job ${jobs[0]?.job_id} failed: A captcha`);
	});

	it('repeats what is known of a job that has failed', async () => {
		await service.admin.nextJob(['failed']);

		const { items } = await service.runAgent({}, { settings: RETRY_AND_CONTINUE });

		expect(items[0]?.json.details).toEqual({
			job_id: (await service.admin.jobs())[0]?.job_id,
			status: 'failed',
			live_url: expect.stringContaining('http'),
			history_url: expect.stringContaining('http'),
		});
	});

	it('stores no CDP URL with the execution', async () => {
		await service.admin.nextJob(['failed']);

		const { run } = await service.runAgent(
			{ browser: 'own', cdpUrl: '={{ "wss://browser.example.com/?token=" + "very" + "-secret" }}' },
			{ settings: RETRY_ON_FAIL },
		);

		expect(JSON.stringify(run.data.executionData?.contextData)).not.toContain('very-secret');
	});

	it('does not try again when On Job Failure returns a failed job', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { status } = await service.runAgent(
			{ options: { onUnsuccessful: 'return' } },
			{ settings: RETRY_ON_FAIL },
		);

		expect(status).toBe('success');
		expect((await service.admin.counters()).polls).toBe(1);
	});
});

describe('A second job is started', () => {
	it.each<[string, () => Promise<void>]>([
		['has completed', async () => {}],
		['has failed', async () => await service.admin.nextJob(['failed'])],
		[
			'was started unclearly',
			async () =>
				await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 500 }),
		],
	])('by a new execution when the job of the one before %s', async (_label, prepare) => {
		await prepare();
		await service.runAgent({}, { settings: RETRY_ON_FAIL });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(2);
		expect(items[0]?.json.status).toBe('completed');
	});

	it.each<[string, () => Promise<void>]>([
		['has failed', async () => await service.admin.nextJob(['failed'])],
		[
			'was started unclearly',
			async () => await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' }),
		],
	])("by Retry in n8n's list of executions when the job %s", async (_label, prepare) => {
		await prepare();
		const { run } = await service.runAgent();

		const retried = await retryExecution(run);

		expect(retried.error).toBeUndefined();
		expect(retried.items[0]?.json.status).toBe('completed');
	});

	it.each(['completed', 'failed'])(
		'by each run of a loop when the job of the run before has %s',
		async (status) => {
			await service.admin.nextJob([status]);

			const runs = await runInLoop(RETRY_AND_CONTINUE, 2);

			const jobs = await service.admin.jobs();
			expect(jobs).toHaveLength(2);
			expect(runs[1]).toMatchObject({ job_id: jobs[1]?.job_id, status: 'completed' });
		},
	);
});

/**
 * Does what n8n does when a user clicks Retry at a failed execution: a new one takes the data of the
 * old one over, without its error and the last run of the node that failed.
 */
async function retryExecution({ data }: IRun): Promise<NodeResult> {
	const { resultData, executionData } = structuredClone(data);
	const taken = createRunExecutionData({
		executionData,
		resultData: { runData: resultData.runData },
	});
	taken.resultData.runData[NODE_NAME]?.pop();
	const node = executionData?.nodeExecutionStack[0]?.node;
	if (node === undefined) throw new Error('The execution has not failed in a node');

	const parts = {
		nodeTypes: { [AGENT_TYPE]: new TestAgent(), 'test.input': inputNode([{}]) },
		credentials: credentialFor({ baseUrl: service.url }),
	};
	const workflowData = { nodes: [testNode('Input', 'test.input'), node], connections: {} };
	const hooks = new ExecutionLifecycleHooks('retry', '2', workflowData as unknown as IWorkflowBase);
	const additionalData = { ...createAdditionalData(parts, hooks), executionId: '2' };
	const execution = new WorkflowExecute(additionalData, 'retry', taken);
	return await toResult(
		Promise.resolve(execution.processRunExecutionData(createWorkflow(workflowData, parts))),
	);
}

/** Runs the node in a loop of the workflow, so many times; returns the first item of each run. */
async function runInLoop(settings: Partial<INode>, times: number) {
	let runs = 0;
	const again = testNodeType(
		{ inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main] },
		async () => [++runs < times ? [{ json: {} }] : []],
	);
	const to = (node: string) => ({
		main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]],
	});

	const { data } = await execute(
		{
			nodes: [
				testNode('Input', 'test.input'),
				agentNode({
					parameters: { resource: 'agent', operation: 'run', directive: 'Again' },
					...settings,
				}),
				testNode('Again', 'test.again'),
			],
			connections: { Input: to(NODE_NAME), [NODE_NAME]: to('Again'), Again: to(NODE_NAME) },
		},
		{
			nodeTypes: {
				[AGENT_TYPE]: new TestAgent(),
				'test.input': inputNode([{}]),
				'test.again': again,
			},
			credentials: credentialFor({ baseUrl: service.url }),
		},
		{ startNode: 'Input' },
	).finished;
	const tasks = data.resultData.runData[NODE_NAME] ?? [];
	return tasks.map((task) => task.data?.main?.[0]?.[0]?.json);
}

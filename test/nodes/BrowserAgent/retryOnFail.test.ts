import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type INode,
	type IRun,
	type IWorkflowBase,
} from 'n8n-workflow';

import { createAdditionalData, createWorkflow, execute } from '../../../dev/engine/engine';
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
import { steadyClock } from '../../support/steadyClock';
import { useSandbox, type FaultCase } from '../../support/useSandbox';
import { setClock, TestAgent } from '../../support/testRuntime';

const service = useSandbox();

const RETRY_AND_CONTINUE: Partial<INode> = { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' };

const UNCLEAR: Array<[string, FaultCase]> = [
	['a 500', { kind: 'status', status: 500 }],
	['a 500 although the job was started', { kind: 'status', status: 500, when: 'after' }],
	['a 502', { kind: 'status', status: 502, body: '<h1>Bad gateway</h1>' }],
	['a 503', { kind: 'status', status: 503 }],
	['a 408', { kind: 'status', status: 408 }],
	['a redirect as after a form', { kind: 'redirect', status: 303, when: 'after' }],
	['a redirect to anywhere', { kind: 'redirect', status: 302, when: 'after' }],
	['a connection that breaks', { kind: 'reset' }],
	['a connection that breaks although the job was started', { kind: 'reset', when: 'after' }],
	['an answer that is cut off', { kind: 'truncate', when: 'after' }],
	['broken JSON', { kind: 'body', body: '{"job_id": "job_', when: 'after' }],
	['a web page', { kind: 'body', body: '<h1>Hello</h1>', contentType: 'text/html', when: 'after' }],
	['an empty body', { kind: 'body', body: '', when: 'after' }],
	['a body without a job ID', { kind: 'body', body: { status: 'running' }, when: 'after' }],
];

async function startsSent(): Promise<number> {
	const { requests } = await service.admin.counters();
	return requests.startAgent + requests.runWorkflow;
}

describe('a start whose answer leaves it unclear whether there is a job', () => {
	it.each(UNCLEAR)('is not sent again, and the user reads why: %s', async (_label, fault) => {
		await service.admin.fault({ endpoint: 'startAgent', ...fault });

		const { error } = await service.runAgent();

		expect(await startsSent()).toBe(1);
		expect(error?.message).toMatch(
			/^It is unclear whether a job was started; a job may be running\. /,
		);
		expect(error).toMatchObject({
			description:
				"A job may be running and using credits. Look for it in the service's web platform before you run this again. It is not started a second time in this execution.",
			context: { itemIndex: 0 },
		});
	});

	it.each(UNCLEAR)('is not sent again by Retry On Fail either: %s', async (_label, fault) => {
		await service.admin.fault({ endpoint: 'startAgent', ...fault });

		const { error } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(1);
		expect(error).toMatchObject({
			message: 'Not started again: an earlier try may have started a job already',
			description: expect.stringContaining('a job may be running'),
			context: { itemIndex: 0 },
		});
	});

	it.each(UNCLEAR)('is not sent again with Continue On Fail either: %s', async (_label, fault) => {
		await service.admin.fault({ endpoint: 'startAgent', ...fault });

		const { items } = await service.runAgent({}, { settings: RETRY_AND_CONTINUE });

		expect(await startsSent()).toBe(1);
		expect(items[0]?.json.error).toMatch(/^Not started again/);
	});

	it('is not sent again when the answer does not come in time', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'stall', when: 'after' });

		const { error } = await service.runAgent({}, { onRequest: () => ({ timeout: 100 }) });

		expect(await startsSent()).toBe(1);
		expect(error?.message).toBe(
			'It is unclear whether a job was started; a job may be running. The service did not respond in time',
		);
	});

	it('is not sent again after a time-out by Retry On Fail either', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'stall', when: 'after' });

		await service.runAgent({}, { settings: RETRY_ON_FAIL, onRequest: () => ({ timeout: 100 }) });

		expect(await startsSent()).toBe(1);
	});

	it('is not sent again when it is the start of a workflow', async () => {
		await service.admin.fault({ endpoint: 'runWorkflow', kind: 'reset', when: 'after' });

		const { error } = await service.run({
			resource: 'workflow',
			operation: 'run',
			parameters: { workflowId: 'wf_daily_report' },
			settings: RETRY_ON_FAIL,
		});

		expect(await startsSent()).toBe(1);
		expect(error?.message).toMatch(/^Not started again/);
	});

	it('does not keep a retry from the other items of the batch', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 500 });

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}' },
			{ input: [{ task: 'a' }, { task: 'b' }, { task: 'c' }], settings: RETRY_AND_CONTINUE },
		);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(2);
		expect(await startsSent()).toBe(3);
		expect(items.map(({ json }) => json.status ?? 'error')).toContain('error');
	});

	it('is free to be sent in a new execution', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 500 });
		await service.runAgent({}, { settings: RETRY_ON_FAIL });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(items[0]?.json.status).toBe('completed');
	});
});

describe('a start that is answered with 429', () => {
	it('is sent again, since nothing was started', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 429, times: 2 });

		const { items } = await service.runAgent();

		expect(await startsSent()).toBe(3);
		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('is sent again not before Retry-After has passed', async () => {
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '20' },
		});

		await service.runAgent();

		const [first, second] = await service.requests({ endpoint: 'startAgent' });
		expect((second?.sandboxMs ?? 0) - (first?.sandboxMs ?? 0)).toBeGreaterThan(18_000);
	});

	it('is sent again when other programs have used up the limit', async () => {
		await service.admin.setLimits({ limits: { startsPerWindow: 1 } });

		const { items } = await service.runAgent({}, { input: [{}, {}] });

		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(await service.admin.jobs()).toHaveLength(2);
	});

	it('is given up after an hour of that, with nothing started', async () => {
		setClock(steadyClock(6_000));
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'status',
			status: 429,
			times: 'always',
		});

		const { error } = await service.runAgent();

		expect(error?.message).toMatch(/^Rate limit exceeded/);
		expect(await service.admin.jobs()).toEqual([]);
	});
});

describe('Retry On Fail after a start that was refused', () => {
	it.each([307, 308])(
		'starts the job after a redirect that asks for the same: %i',
		async (status) => {
			await service.admin.fault({ endpoint: 'startAgent', kind: 'redirect', status });

			const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

			expect(items[0]?.json.status).toBe('completed');
		},
	);

	it.each([400, 401, 402, 403, 404, 422])('starts the job after a %i', async (status) => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await startsSent()).toBe(2);
		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('starts the job when the service could not be reached at first', async () => {
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
});

describe('Retry On Fail after a job was started', () => {
	it.each<[string, Partial<INode>]>([
		['stops', RETRY_ON_FAIL],
		['goes on with an item', RETRY_AND_CONTINUE],
		[
			'goes on with an item at the error output',
			{ ...RETRY_ON_FAIL, onError: 'continueErrorOutput' },
		],
	])('does not start a second one when it failed and the node %s', async (_label, settings) => {
		await service.admin.nextJob({ statuses: ['running', 'failed'], error: 'A captcha' });

		const { error, items, errorItems } = await service.runAgent({}, { settings });

		const [job, ...others] = await service.admin.jobs();
		const told = [error?.message, items[0]?.json.error, errorItems[0]?.json.error];
		expect(others).toEqual([]);
		expect(told).toContain(`Job ${job?.job_id} failed: A captcha`);
	});

	it('goes on waiting for it when the first try has timed out', async () => {
		await service.admin.nextJob({ durationSeconds: 60 });

		const { items } = await service.runAgent(
			{ options: { maxWaitMinutes: 0.75 } },
			{ settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ job_id: jobs[0]?.job_id, status: 'completed' });
	});

	it('does not start a second one when every try times out', async () => {
		await service.admin.nextJob(['running']);

		const { error } = await service.runAgent(
			{ options: { maxWaitMinutes: 0.05 } },
			{ settings: RETRY_ON_FAIL },
		);

		const [job, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(error?.message).toBe(`Job ${job?.job_id} was still running after 0.05 minutes`);
	});

	it('picks it up after a fault that ended the wait', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('picks up a job of Workflow: Run with its workflow and conversation', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { items } = await service.run({
			resource: 'workflow',
			operation: 'run',
			parameters: { workflowId: 'wf_daily_report' },
			settings: RETRY_ON_FAIL,
		});

		expect(await service.admin.jobs()).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			status: 'completed',
			workflow_id: 'wf_daily_report',
			conversation_id: expect.stringMatching(/^conv_/),
		});
	});

	it('does not start the jobs of a batch again when one of them has failed', async () => {
		await service.admin.nextJobs([{ match: 'second', statuses: ['failed'], error: 'A captcha' }]);

		const { error } = await service.runAgent(
			{ directive: '={{ $json.task }}' },
			{
				input: [{ task: 'first' }, { task: 'second' }, { task: 'third' }],
				settings: RETRY_ON_FAIL,
			},
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive).sort()).toEqual(['first', 'second', 'third']);
		expect(error?.message).toMatch(/failed: A captcha$/);
	});

	it('starts of a batch only what was not started in the first try', async () => {
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

	it('returns what was started without waiting, and starts it only once', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402, skip: 1 });

		const { items } = await service.runAgent(
			{ waitUntilFinished: false },
			{ input: [{}, {}], settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(2);
		expect(items.map(({ json }) => json.job_id)).toEqual(jobs.map(({ job_id }) => job_id));
	});

	it('does not ask again whether there are credits for it', async () => {
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		await service.runAgent({ options: { minimumCredits: 1 } }, { settings: RETRY_ON_FAIL });

		expect(await service.requests({ endpoint: 'getCreditBalance' })).toHaveLength(1);
	});

	it('keeps no address of a browser with the execution', async () => {
		await service.admin.nextJob(['failed']);

		const { run } = await service.runAgent(
			{ browser: 'own', cdpUrl: '={{ "wss://browser.example.com/?token=" + "very" + "-secret" }}' },
			{ settings: RETRY_ON_FAIL },
		);

		const stored = JSON.stringify(run.data.executionData?.contextData);
		expect(stored).not.toContain('very-secret');
	});

	it('does not take a good item for a failure, whatever the service says in it', async () => {
		await service.admin.nextJob({ statuses: ['failed'], error: 'A captcha' });

		const { status } = await service.runAgent(
			{ options: { onUnsuccessful: 'return' } },
			{ settings: RETRY_ON_FAIL },
		);

		expect(status).toBe('success');
		expect(await service.admin.jobs()).toHaveLength(1);
		expect((await service.admin.counters()).polls).toBe(1);
	});
});

describe('what starts a job of its own', () => {
	it('is a new execution', async () => {
		await service.runAgent({}, { settings: RETRY_ON_FAIL });
		await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(await service.admin.jobs()).toHaveLength(2);
	});

	it('is a new execution after one in which the job failed', async () => {
		await service.admin.nextJob(['failed']);
		await service.runAgent({}, { settings: RETRY_ON_FAIL });

		const { items } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(items[0]?.json.status).toBe('completed');
	});

	it.each<[string, () => Promise<unknown>]>([
		['failed', async () => await service.admin.nextJob(['failed'])],
		[
			'was started unclearly',
			async () => await service.admin.fault({ endpoint: 'startAgent', kind: 'reset' }),
		],
	])("is the Retry of an execution in n8n's list when the job %s", async (_label, goWrong) => {
		await goWrong();
		const { run } = await service.runAgent();

		const retried = await retryExecution(run);

		expect(retried.error).toBeUndefined();
		expect(retried.items[0]?.json.status).toBe('completed');
	});

	it.each<[string, string]>([
		['has succeeded', 'completed'],
		['has failed', 'failed'],
	])('is each run of a loop, also when the job of the run before it %s', async (_label, end) => {
		await service.admin.nextJob([end]);

		const runs = await runInLoop(RETRY_AND_CONTINUE, 2);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(2);
		expect(runs).toHaveLength(2);
		expect(runs[1]).toMatchObject({ job_id: jobs[1]?.job_id, status: 'completed' });
	});
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

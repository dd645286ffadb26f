import type { IExecuteFunctions, INode, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { captureLog } from '../../support/captureLog';
import { holdRequests } from '../../support/holdRequests';
import { runInLoop } from '../../support/runInLoop';
import {
	RETRY_AND_CONTINUE,
	RETRY_ON_FAIL,
	toResult,
	type NodeResult,
} from '../../support/runNode';
import { setServiceLimits, TestAgent, testRuntime } from '../../support/testRuntime';
import { slowCredentials } from '../../support/slowCredentials';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const AGENT_RUN = { resource: 'agent', operation: 'run', parameters: { directive: 'Again' } };
const ONE_BY_ONE: INodeParameters = { options: { maxParallelJobs: 1 } };
const NOT_STARTED_AGAIN =
	'The job was not started again, because the first start may have succeeded';

// A retry is not certain then: n8n runs the node again only if the first item has failed.
const PAUSED_BETWEEN = { settings: RETRY_AND_CONTINUE };

/** Agent: Run with Retry On Fail. */
async function retry(options: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.runAgent({ options }, { settings: RETRY_ON_FAIL, ...more });
}

async function retryTasks(
	tasks: string[],
	parameters: INodeParameters = {},
	settings: Partial<INode> = RETRY_ON_FAIL,
) {
	return await service.runTasks(tasks, parameters, { settings });
}

/**
 * Runs two items. One's start is held until the other one's job has been polled `untilPolls` times.
 */
async function retryTwo(start: { held: string; untilPolls: number }): Promise<NodeResult> {
	const { onRequest, sent, release } = holdRequests(start.held);
	const { finished } = service.startAgent(
		{ directive: '={{ $json.task }}' },
		{ input: [{ task: 'first' }, { task: 'second' }], settings: RETRY_ON_FAIL, onRequest },
	);
	await sent();
	await waitFor(async () => {
		const { polls } = await service.admin.counters();
		expect(polls).toBeGreaterThanOrEqual(start.untilPolls);
	});
	release();
	return await toResult(finished);
}

async function startsSent(): Promise<number> {
	const { requests } = await service.admin.counters();
	return requests.startAgent + requests.runWorkflow;
}

async function directives(): Promise<string[]> {
	return (await service.admin.jobs()).map(({ directive }) => directive);
}

describe('Retry On Fail after an unclear start', () => {
	// What makes a start unclear is tested with `ServiceError`.
	it('sends no second start', async () => {
		await service.fault('startAgent', 503, { when: 'after' });

		const { error } = await retry();

		expect(await startsSent()).toBe(1);
		expect(error).toMatchObject({
			message: NOT_STARTED_AGAIN,
			description: expect.stringContaining('A job may be running'),
			context: { itemIndex: 0 },
		});
	});

	it.each([0, null])(
		'sends no second start with %p for Max. Tries, which n8n takes for 3',
		async (maxTries) => {
			await service.fault('startAgent', 503, { when: 'after' });

			const settings = { ...RETRY_ON_FAIL, maxTries } as Partial<INode>;
			const { error } = await retry({}, { settings });

			expect(await startsSent()).toBe(1);
			expect(error?.message).toBe(NOT_STARTED_AGAIN);
		},
	);

	it('sends no second start when the start of an earlier run is lost during the retry', async () => {
		await service.refusePolls();
		await service.fault('startAgent', { kind: 'reset' }, { skip: 1 });

		const { error } = await retryTwo({ held: 'second', untilPolls: 8 });

		expect(await startsSent()).toBe(2);
		expect(error).toMatchObject({ message: NOT_STARTED_AGAIN, context: { itemIndex: 1 } });
	});
});

describe('Retry On Fail after a rejected start', () => {
	it('starts only the jobs that were not started before', async () => {
		await service.fault('startAgent', 402, { skip: 1 });

		const { json } = await retryTasks(['first', 'second', 'third'], ONE_BY_ONE);

		expect(await directives()).toEqual(['first', 'second', 'third']);
		expect(json.map(({ job_id }) => job_id)).toEqual(await service.jobIds());
	});
});

describe('Retry On Fail after a started job', () => {
	it('fails with the same words when the only further poll of a failed job is not answered', async () => {
		await service.admin.nextJob({ statuses: ['running', 'failed'], error: 'A captcha' });
		await service.fault('getJob', { kind: 'hang' }, { skip: 2, times: 'always' });
		const began = service.clock.now();

		const { error } = await retry({}, { settings: { ...RETRY_ON_FAIL, maxTries: 2 } });

		const { job_id } = await service.onlyJob();
		expect(error?.message).toBe(`Job ${job_id} failed: A captcha`);
		expect(await service.sent('getJob')).toHaveLength(3);
		expect(service.clock.now() - began).toBeLessThan(15_000);
	});

	it('does not pause the job while n8n certainly runs the node again', async () => {
		await service.admin.nextJob({ durationSeconds: 60 });

		const { json } = await retry({ maxWaitMinutes: 0.75, pauseJob: 'onEarlyEnd' });

		expect(await service.onlyJob()).toMatchObject({ pauses: 0, status: 'completed' });
		expect(json[0]?.status).toBe('completed');
	});

	it('resumes the job of Job: Wait that the node paused when the earlier run ended', async () => {
		const jobId = await service.givenJob({ durationSeconds: 60 });
		await service.fault('getJob', 403);

		const options = { pauseJob: 'onEarlyEnd' };
		const { json } = await service.waitForJob(jobId, options, PAUSED_BETWEEN);

		expect(await service.onlyJob()).toMatchObject({ pauses: 1, resumes: 1 });
		expect(json[0]?.status).toBe('completed');
	});

	it('waits for a job whose resume is refused, since somebody else may have resumed it', async () => {
		await service.admin.nextJob({ durationSeconds: 200 });
		await service.refusePolls();
		await service.fault('resumeJob', 409, { when: 'after' });
		const settings = { ...RETRY_AND_CONTINUE, maxTries: 2 };

		const { json } = await retry({ pauseJob: 'onEarlyEnd' }, { settings });

		expect(json[0]?.status).toBe('completed');
	});

	it('fails when the service refuses to resume the job, instead of waiting again', async () => {
		await service.admin.nextJob({ durationSeconds: 200 });
		await service.refusePolls();
		const body = { status: 'error', message: 'The browser is gone' };
		await service.fault('resumeJob', { kind: 'body', body }, { times: 'always' });
		const began = service.clock.now();

		const { json } = await retry({ pauseJob: 'onEarlyEnd' }, PAUSED_BETWEEN);

		const { job_id } = await service.onlyJob();
		expect(json[0]?.error).toBe(`Job ${job_id} could not be resumed`);
		expect(service.clock.now() - began).toBeLessThan(120_000);
	});

	it('returns the result of a job that has ended when the service refuses to resume it', async () => {
		await service.admin.nextJob(['running', 'completed']);
		await service.refusePolls();
		await service.fault('resumeJob', 409, { when: 'after' });

		const { json } = await retry({ pauseJob: 'onEarlyEnd' }, PAUSED_BETWEEN);

		expect(json[0]?.status).toBe('completed');
	});

	it('ends the tries to pause its job, instead of waiting for them', async () => {
		await service.admin.nextJob({ durationSeconds: 200 });
		await service.refusePolls();
		await service.fault('pauseJob', 429, { headers: { 'Retry-After': '20' } });

		const { clock } = service;
		clock.hold();

		const { finished } = service.startAgent(
			{ options: { pauseJob: 'onEarlyEnd' } },
			PAUSED_BETWEEN,
		);
		await service.until(async () => expect(await service.sent('pauseJob')).toHaveLength(1), 1_000);
		// The next run has begun.
		await waitFor(async () => expect(await service.sent('getJob')).toHaveLength(8));
		await clock.advance(300_000);

		const { json } = await toResult(finished);
		expect(json[0]).toMatchObject({ status: 'completed' });
		expect(json[0]?.duration_seconds).toBe(200);
		expect(await service.sent('pauseJob')).toHaveLength(1);
	});

	it('asks again for a job that was taken over, since its user may hand it back', async () => {
		await service.admin.nextJob(['user_taken_over', 'running', 'completed']);

		const { json } = await retry();

		expect(await service.jobIds()).toHaveLength(1);
		expect(json[0]?.status).toBe('completed');
	});

	it('returns its result after an error of the wait, however few credits are left', async () => {
		await service.refusePolls();
		await service.fault('getCreditBalance', { kind: 'body', body: { credit_balance: 0 }, skip: 1 });

		const { json } = await retry({ minimumCredits: 1 });

		expect(await startsSent()).toBe(1);
		expect(await service.sent('getCreditBalance')).toHaveLength(1);
		expect(json[0]?.status).toBe('completed');
	});

	it('returns the results of a batch that an earlier run has seen, after another poll', async () => {
		await service.admin.nextJobs([['completed'], ['completed']]);
		await service.refusePolls({ skip: 1 });

		const { json } = await retryTasks(['first', 'second'], ONE_BY_ONE);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ polls }) => polls)).toEqual([2, 1]);
		expect(json.map(({ job_id }) => job_id)).toEqual(await service.jobIds());
	});

	it('waits for the start that an earlier run has sent, instead of sending another', async () => {
		const log = captureLog();
		await service.refusePolls();

		const { json } = await retryTwo({ held: 'second', untilPolls: 8 });

		expect(await service.admin.jobs()).toHaveLength(2);
		expect(json.map(({ status }) => status)).toEqual(['completed', 'completed']);
		expect(log.join()).not.toContain('after its execution had ended');
	});
});

describe('A retry', () => {
	it("hides the address of the user's own browser, although it sends no start", async () => {
		const cdpUrl = 'https://browser.example.com/session/7?token=hunter2-hunter2';
		const error = `No tab at ${cdpUrl}`;
		// The service does not repeat it.
		const silent = { startBody: { cdp_url: null }, omitFields: ['cdp_url'] };
		await service.admin.nextJob({ durationSeconds: 200, outcome: 'failed', error, ...silent });
		await service.refusePolls();

		const { error: shown } = await service.runAgent(
			{ browserConfig: { cdpUrl } },
			{ settings: RETRY_ON_FAIL },
		);

		expect(await startsSent()).toBe(1);
		expect(shown?.message).toContain('No tab at [hidden]');
		expect(JSON.stringify([shown?.message, shown?.description])).not.toContain('hunter2');
	});

	it('starts nothing for an item that had to wait when a job of another one has failed', async () => {
		await service.admin.nextJob({ match: 'second', durationSeconds: 1, outcome: 'failed' });
		await service.fault('startAgent', 429, { headers: { 'Retry-After': '4' } });
		// The retry reads the failed job again for as long as it may.
		await service.fault('getJob', { kind: 'hang' }, { skip: 2, times: 'always' });

		const { error } = await retryTasks(['first', 'second']);

		expect(await directives()).toEqual(['second']);
		expect(error?.message).toContain('failed');
	});
});

describe('However long it takes until an item is tried again,', () => {
	/** The node, before whose second try the process stands still for this long. */
	function standingStillFor(ms: number): TestAgent {
		let tries = 0;
		class LateAgent extends TestAgent {
			override async execute(this: IExecuteFunctions) {
				if (++tries === 2) await service.clock.sleep(ms);
				return await new TestAgent().execute.call(this);
			}
		}
		return new LateAgent();
	}

	// With Continue On Fail, n8n tries again only if the first item has failed.
	it.each<[string, number, Partial<INode>]>([
		['', 299, RETRY_ON_FAIL],
		[' with Continue On Fail', 0, RETRY_AND_CONTINUE],
	])('slow credentials start no finished job again%s', async (_label, failing, settings) => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1_000, windowMs: 60_000 } });
		slowCredentials(service.clock, 120);
		await service.admin.nextJobs(Array<string[]>(299).fill(['completed']));
		await service.fault('startAgent', 422, { skip: failing });
		const tasks = Array.from({ length: 300 }, (_, index) => `task ${index}`);

		const { json } = await retryTasks(tasks, { options: { maxParallelJobs: 1 } }, settings);

		expect(json).toHaveLength(300);
		expect(new Set(await directives()).size).toBe(300);
		expect(await service.jobIds()).toHaveLength(300);
	});

	it.each<[string, number]>([
		['a minute', 60_000],
		['59 minutes', 59 * 60_000],
	])('an unclear start is not sent again after %s', async (_label, ms) => {
		await service.fault('startAgent', 503, { when: 'after' });

		const { error } = await retry({}, { nodeType: standingStillFor(ms) });

		expect(await startsSent()).toBe(1);
		expect(error?.message).toBe(NOT_STARTED_AGAIN);
	});

	it('a finished job is returned after the process stood still for a minute', async () => {
		await service.fault('startAgent', 422, { skip: 1 });

		const { json } = await service.runTasks(['first', 'second'], ONE_BY_ONE, {
			settings: RETRY_ON_FAIL,
			nodeType: standingStillFor(60_000),
		});

		expect(await directives()).toEqual(['first', 'second']);
		expect(json.map(({ status }) => status)).toEqual(['completed', 'completed']);
	});

	it('its job is known to a try that n8n does not count, after a Stop of the last one', async () => {
		await service.admin.nextJob(['running']);
		service.clock.hold();
		const settings = { ...RETRY_AND_CONTINUE, maxTries: 2 };
		const execution = service.startAgent({ options: { maxWaitMinutes: 1 } }, { settings });
		await service.until(async () => {
			expect((await service.sent('getJob')).length).toBeGreaterThan(0);
		});
		const polls = (await service.sent('getJob')).length;
		await service.clock.advance(61_000);
		await service.until(async () => {
			expect((await service.sent('getJob')).length).toBeGreaterThan(polls + 20);
		});

		execution.stop();
		await service.clock.advance(1_000);

		const { error } = await toResult(execution.finished);
		const { job_id } = await service.onlyJob();
		expect(error?.description).toContain(job_id);
	});

	it.each<[string, Partial<INode>, number]>([
		['nothing is kept when the last try has failed', { ...RETRY_ON_FAIL, maxTries: 2 }, 2],
		['nothing is kept when a later try has succeeded', RETRY_ON_FAIL, 1],
	])('%s', async (_label, settings, times) => {
		await service.fault('startAgent', 422, { times });

		await retry({}, { settings });

		expect(testRuntime().memory.size).toBe(0);
	});
});

describe('A second job is started', () => {
	// Retry in n8n's list of executions begins one, too.
	it('by a new execution although it is unclear whether the one before has started a job', async () => {
		await service.fault('startAgent', 500);
		await retry();

		const { json } = await retry();

		expect(json[0]?.status).toBe('completed');
	});

	it('by each run of a loop although the job of the run before has failed', async () => {
		await service.admin.nextJob(['failed']);

		const runs = await runInLoop(
			{ baseUrl: service.url, settings: RETRY_AND_CONTINUE, ...AGENT_RUN },
			2,
		);

		const [, second] = await service.jobIds();
		expect(runs[1]).toMatchObject({ job_id: second, status: 'completed' });
	});
});

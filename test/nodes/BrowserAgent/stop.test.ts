import type { INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../../dev/engine/engine';
import type { EndpointName } from '../../../dev/sandbox/types';
import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { captureLog } from '../../support/captureLog';
import { holdRequests } from '../../support/holdRequests';
import { CONTINUE, RETRY_ON_FAIL, toResult, type NodeResult } from '../../support/runNode';
import { slowCredentials } from '../../support/slowCredentials';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, waitRun, type FaultCase, type SandboxRun } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();
const { clock } = service;

const IN_A_MINUTE = { 'Retry-After': '60' };

// Time passes only where a test says so.
beforeEach(() => clock.hold());

/** Lets time pass until the service has received `count` of these requests. */
async function untilReceived(endpoint: EndpointName, count = 1, stepMs = 250): Promise<void> {
	await service.until(async () => {
		const { requests } = await service.admin.counters();
		expect(requests[endpoint]).toBeGreaterThanOrEqual(count);
	}, stepMs);
}

/**
 * Stops the execution, as a click in the editor does. What it does until it ends may take
 * `withinMs`.
 */
async function stop(execution: Execution, { withinMs = 0 } = {}): Promise<NodeResult> {
	let result: NodeResult | undefined;
	void toResult(execution.finished).then((ended) => (result = ended));

	execution.stop();
	if (withinMs > 0) await clock.advance(withinMs);

	return await waitFor(() => {
		if (result === undefined) throw new Error(`It has not ended ${withinMs} ms after the Stop`);
		expect(result.status).toBe('canceled');
		return result;
	});
}

/** Agent: Run, whose job runs and has been polled. */
async function startPolling(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	await service.admin.nextJob(['running']);
	const execution = service.startAgent(parameters, more);
	await untilReceived('getJob');
	return execution;
}

/** Agent: Run, whose start is on its way. */
async function startUnanswered(parameters: INodeParameters = {}) {
	await service.admin.nextJob(['running']);
	const { onRequest, sent, release } = holdRequests('run_browser_agent');
	const execution = service.startAgent(parameters, { onRequest });
	await sent();
	return { execution, release };
}

async function untilAllPaused(): Promise<void> {
	await service.until(async () => {
		expect(new Set(await service.jobStatuses())).toEqual(new Set(['paused']));
	});
}

describe('Stop while a job is waited for', () => {
	it.each([
		['', {}],
		[' with Continue On Fail', CONTINUE],
	])('ends the execution at once with an error that names the job%s', async (_l, settings) => {
		const execution = await startPolling({}, { settings });

		const { error, run } = await stop(execution);

		const { job_id, status } = await service.onlyJob();
		expect(error).toMatchObject({
			message: `Execution canceled: the node stopped waiting for job ${job_id}`,
			description: expect.stringContaining(`Paused: ${job_id}.`),
			context: { itemIndex: 0, jobIds: [job_id] },
		});
		expect(status).toBe('paused');
		expect(run.data.resultData.metadata).toEqual({ browser_agent_jobs: job_id });
	});

	it.each<[string, FaultCase | undefined]>([
		['the time between two polls', undefined],
		['a poll without a response', { kind: 'stall' }],
		['the pause after an error', { kind: 'status', status: 503, headers: IN_A_MINUTE }],
	])('ends %s at once', async (_label, fault) => {
		const jobId = await service.givenJob(['running']);
		if (fault !== undefined) await service.fault('getJob', fault);
		const execution = service.start(waitRun([jobId]));
		await untilReceived('getJob');

		await stop(execution);
	});
});

describe('After a Stop, Pause Job', () => {
	it('pauses a job that can only be paused once its browser is there', async () => {
		const statuses = [{ status: 'provisioning', seconds: 45 }, 'running'];
		await service.admin.nextJob({ statuses });
		const execution = service.startAgent();
		await untilReceived('getJob');

		await stop(execution, { withinMs: 1_000 });
		await clock.advance(90_000);

		expect(await service.jobStatuses()).toEqual(['paused']);
	});

	it('says that the job could not be paused so far when the first answer was no', async () => {
		const execution = await startPolling();
		await service.fault('pauseJob', 403);

		const { error } = await stop(execution, { withinMs: 1_000 });

		const { job_id } = await service.onlyJob();
		expect(error?.description).toContain(
			`Could not be paused so far and may still be running: ${job_id}. The node keeps trying for five minutes; n8n's log says how it ended.`,
		);
	});

	it('unset on Job: Wait leaves the job running', async () => {
		const jobId = await service.givenJob(['running']);
		const execution = service.start(waitRun([jobId]));
		await untilReceived('getJob');

		await stop(execution);

		expect(await service.sent('pauseJob')).toEqual([]);
	});

	it('set to Never leaves the job of Agent: Run running, and the error says so', async () => {
		const execution = await startPolling({ options: { pauseJob: 'never' } });

		const { error } = await stop(execution);

		const { job_id } = await service.onlyJob();
		expect(error?.description).toContain(`Not paused, still using credits: ${job_id}.`);
		expect(await service.sent('pauseJob')).toEqual([]);
	});
});

describe('After a Stop, Pause Job: When the Wait Ends Early', () => {
	const PAUSES = { pauseJob: 'onEarlyEnd' };

	it('ends within a second although the pause is not answered yet', async () => {
		const { onRequest, release } = holdRequests('pause_job');
		const jobId = await service.givenJob(['running']);
		const execution = service.start(waitRun([jobId], PAUSES, { onRequest }));
		await untilReceived('getJob');

		const { error } = await stop(execution, { withinMs: 1_000 });

		expect(error?.description).toContain(`Being paused: ${jobId}.`);
		release();
		await untilAllPaused();
	});

	it('pauses all jobs of a large batch, also those not waited for yet, however long the first pauses take', async () => {
		const { onRequest, release } = holdRequests('pause_job');
		const jobIds = await service.givenManyJobs(12, ['running']);
		const execution = service.start(
			waitRun(jobIds, { ...PAUSES, maxParallelJobs: 2 }, { onRequest }),
		);
		await untilReceived('getJob', 2);
		await stop(execution, { withinMs: 1_000 });

		release();

		await untilAllPaused();
	});
});

describe('Stop while a start is not answered', () => {
	it('ends the execution within a second, and the error says how many starts are open', async () => {
		const { execution } = await startUnanswered();

		const { error } = await stop(execution, { withinMs: 1_000 });

		expect(error).toMatchObject({
			message:
				'Execution canceled: the service had not yet responded to the request to start a job',
			description: expect.stringContaining('has not yet responded to 1 request to start a job;'),
		});
	});

	it('logs the ID of the job that starts later and pauses it', async () => {
		const log = captureLog();
		const { execution, release } = await startUnanswered();
		await stop(execution, { withinMs: 1_000 });

		release();

		const { job_id } = await waitFor(async () => await service.onlyJob());
		await untilAllPaused();
		expect(log.join()).toContain(
			`Browser Agent started job ${job_id} after its execution had ended`,
		);
	});

	it('names and pauses the job when the answer comes within the second', async () => {
		const { execution, release } = await startUnanswered();
		const stopping = stop(execution);

		release();

		const { error } = await stopping;
		const { job_id, status } = await service.onlyJob();
		expect(error?.description).toContain(`Paused: ${job_id}.`);
		expect(status).toBe('paused');
	});

	it('logs that it is unclear whether a job was started when the start fails later', async () => {
		const log = captureLog();
		await service.fault('startAgent', { kind: 'reset', when: 'after' });
		const { execution, release } = await startUnanswered();
		await stop(execution, { withinMs: 1_000 });

		release();

		await waitFor(() => {
			expect(log.join('\n')).toContain('it is unclear whether a job was started');
		});
	});
});

describe('Stop while a run that fails is pausing a job', () => {
	it('pauses its other jobs, too', async () => {
		await service.admin.nextJobs([['running'], ['running']]);
		const input = [
			{ task: 'first', pauseJob: 'onEarlyEnd' },
			{ task: 'second', pauseJob: 'onStop' },
			{ task: 'third', pauseJob: 'never' },
		];
		const fault = { kind: 'status', status: 422, delaySeconds: 3 } as const;
		await service.fault('startAgent', fault, { skip: 2 });
		await service.fault('pauseJob', { kind: 'delay', delaySeconds: 3 });
		const options = { pauseJob: '={{ $json.pauseJob }}' };
		const execution = service.startAgent({ directive: '={{ $json.task }}', options }, { input });
		await untilReceived('pauseJob');

		execution.stop();
		await clock.advance(10_000);

		await execution.finished;
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
	});
});

describe('Stop before a start', () => {
	it('ends a wait for the rate limit at once, and sends nothing', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60_000 } });
		const execution = service.startAgent({ waitUntilFinished: false }, { input: [{}, {}] });
		await untilReceived('startAgent');
		await clock.advance(5_000);

		const { error } = await stop(execution);
		await clock.advance(60_000);

		const { job_id } = await service.onlyJob();
		expect(error).toMatchObject({
			message: 'Execution canceled: no job was started',
			description: `Jobs started by this node: ${job_id}. Paused: ${job_id}.`,
			context: { itemIndex: 1, jobIds: [job_id] },
		});
	});

	it.each<[string, EndpointName, FaultCase]>([
		['the pause after a 429', 'startAgent', { kind: 'status', status: 429, headers: IN_A_MINUTE }],
		['the check of Minimum Credits', 'getCreditBalance', { kind: 'stall' }],
	])('ends %s at once, and starts nothing', async (_label, endpoint, fault) => {
		await service.fault(endpoint, fault);
		const execution = service.startAgent({ options: { minimumCredits: 1 } });
		await untilReceived(endpoint);

		await stop(execution);

		expect(await service.jobIds()).toEqual([]);
	});
});

describe('Stop with Retry On Fail', () => {
	it('starts nothing again and names the job of the first run', async () => {
		const execution = await startPolling({}, { settings: RETRY_ON_FAIL });

		const { error } = await stop(execution);

		const { job_id } = await service.onlyJob();
		expect(error).toMatchObject({
			message: 'Execution canceled: nothing was sent',
			description: `Jobs started by this node: ${job_id}. Paused: ${job_id}.`,
		});
	});
});

describe('Stop ends', () => {
	it.each<[string, string, EndpointName]>([
		['job', 'get', 'getJob'],
		['job', 'pause', 'pauseJob'],
		['service', 'getHealth', 'getHealth'],
	])('%s: %s at once when the service does not respond', async (resource, operation, endpoint) => {
		await service.fault(endpoint, { kind: 'hang' });
		const execution = service.start({ resource, operation, input: [{ job_id: 'job_1' }] });
		await untilReceived(endpoint, 1, 0);

		await stop(execution);
	});
});

describe('Stop while items are connected', () => {
	const INPUT = Array.from({ length: 2_000 }, (_, index) => ({ task: `task ${index}` }));

	it('is noticed at once, however many credentials are left to read', async () => {
		const credentials = slowCredentials(clock, 20);
		const execution = service.startAgent({}, { input: INPUT });
		await clock.advance(1_000);

		await stop(execution, { withinMs: 100 });

		expect(credentials.reads).toBeLessThan(60);
		expect(await service.requests()).toEqual([]);
	});

	it('pauses the jobs that an earlier try has started, and connects nothing else', async () => {
		clock.reset();
		await service.admin.nextJobs(Array<string[]>(8).fill(['running']));
		// The item after them fails, and with it the first try.
		const fault = { kind: 'status', status: 422, delaySeconds: 5 } as const;
		await service.fault('startAgent', fault, { skip: 8 });
		const input = INPUT.slice(0, 300);
		const credentials = slowCredentials(clock, 100, (reads) => {
			// The second try has connected two of its items.
			if (reads === input.length + 3) execution.stop();
		});
		const execution = service.startAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 9 } },
			{ input, settings: RETRY_ON_FAIL },
		);

		const { status } = await execution.finished;

		expect(status).toBe('canceled');
		expect(await service.jobStatuses()).toEqual(Array(8).fill('paused'));
		expect(credentials.reads).toBeLessThanOrEqual(input.length + 8);
	});

	it('reads no credential for jobs that are not to be paused', async () => {
		const credentials = slowCredentials(clock, 20);
		const jobIds = await service.givenManyJobs(300, ['running']);
		const execution = service.start(waitRun(jobIds));
		await clock.advance(1_000);

		await stop(execution, { withinMs: 100 });

		expect(credentials.reads).toBeLessThan(60);
		expect(await service.requests()).toEqual([]);
	});

	it("pauses jobs of Job: Wait that it has not begun to wait for, with 'On Stop'", async () => {
		slowCredentials(clock, 20);
		const jobIds = await service.givenManyJobs(30, ['running']);
		const execution = service.start(waitRun(jobIds, { pauseJob: 'onStop' }));
		await clock.advance(100);

		await stop(execution, { withinMs: 2_000 });

		await untilAllPaused();
	});
});

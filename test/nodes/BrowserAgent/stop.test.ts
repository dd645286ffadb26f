import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../../dev/engine/engine';
import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { RateLimiter } from '../../../nodes/service/RateLimiter';
import type { EndpointName } from '../../../dev/sandbox/types';
import { captureLog } from '../../support/captureLog';
import { waitFor } from '../../support/waitFor';
import { RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';
import { setClock, setServiceLimits } from '../../support/testRuntime';

const service = useSandbox({ timeScale: 60 });

const MINUTE_MS = 60_000;

// In real time, since a second after a Stop is one on the user's watch.
beforeEach(() => setClock());

/** Waits until the service has got so many requests of the kind. */
async function requestsToArrive(endpoint: EndpointName, count = 1): Promise<void> {
	await waitFor(async () => {
		expect((await service.admin.counters()).requests[endpoint]).toBeGreaterThanOrEqual(count);
	}, 10_000);
}

/**
 * Stops the execution, as a click in the editor does, and expects it to be over within a second, not
 * counting the longest time for which the machine itself was too busy.
 */
async function stopWithinASecond(execution: Execution) {
	const stoppedAt = Date.now();
	let seenAt = stoppedAt;
	let busyMs = 0;
	const watch = setInterval(() => {
		busyMs = Math.max(busyMs, Date.now() - seenAt);
		seenAt = Date.now();
	}, 10);
	execution.stop();
	const result = await toResult(execution.finished);
	clearInterval(watch);
	expect(Date.now() - stoppedAt - busyMs).toBeLessThan(1_000);
	expect(result.status).toBe('canceled');
	return result;
}

/** Job: Wait, which looks at its job at once. */
function startWait(jobId: string, options: INodeParameters = {}): Execution {
	return service.start({ resource: 'job', operation: 'wait', parameters: { jobId, options } });
}

async function theJob(): Promise<string> {
	const [job] = await service.admin.jobs();
	return job?.job_id ?? 'none';
}

describe('Stop while a job is waited for', () => {
	it('ends the wait between two polls, and names the job', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent();
		await requestsToArrive('getJob');

		const { error } = await stopWithinASecond(execution);

		const jobId = await theJob();
		expect(error).toMatchObject({
			message: `Execution canceled: job ${jobId} is not waited for any more`,
			description: expect.stringContaining(`Paused: ${jobId}.`),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('ends a long pause between two polls', async () => {
		const jobId = await service.givenJob(['running']);
		const execution = startWait(jobId, { pollIntervalSeconds: 600 });
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);
	});

	it('ends a poll that hangs', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'stall' });
		const execution = startWait(jobId);
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);
	});

	it('ends the backoff after a fault', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 503,
			headers: { 'Retry-After': '60' },
		});
		const execution = startWait(jobId);
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);
	});

	it("ends a poll that stands in line for the account's rate limit", async () => {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 1, windowMs: MINUTE_MS } });
		const inLine = jest.spyOn(RateLimiter.prototype, 'acquire');
		const jobId = await service.givenJob(['running']);
		await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });
		const execution = startWait(jobId);
		await waitFor(() => expect(inLine).toHaveBeenCalledTimes(2));

		await stopWithinASecond(execution);

		expect((await service.admin.counters()).polls).toBe(1);
	});

	it('is no failed item with Continue On Fail', async () => {
		const execution = service.start({
			resource: 'job',
			operation: 'wait',
			input: [{ job_id: await service.givenJob(['running']) }],
			settings: { onError: 'continueRegularOutput' },
		});
		await requestsToArrive('getJob');

		execution.stop();

		const { status } = await toResult(execution.finished);
		expect(status).toBe('canceled');
	});
});

describe('Pause When Abandoned after a Stop', () => {
	const pauses = { pauseWhenAbandoned: true };

	async function expectPaused(jobId: string): Promise<void> {
		await waitFor(async () => {
			expect((await service.admin.job(jobId)).status).toBe('paused');
		});
	}

	it('pauses a job that was started, although the execution is canceled', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent({ options: pauses });
		await requestsToArrive('getJob');

		const { error } = await stopWithinASecond(execution);

		expect((await service.admin.job(await theJob())).status).toBe('paused');
		expect(error?.description).toContain(`Paused: ${await theJob()}.`);
	});

	it('pauses the jobs of all items', async () => {
		const jobIds = [await service.givenJob(['running']), await service.givenJob(['running'])];
		const execution = service.start({
			resource: 'job',
			operation: 'wait',
			parameters: { options: pauses },
			input: jobIds.map((jobId) => ({ job_id: jobId })),
		});
		await requestsToArrive('getJob', 2);

		await stopWithinASecond(execution);

		for (const jobId of jobIds) await expectPaused(jobId);
	});

	it('does not keep the user waiting for a slow answer to the pause', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'delay', delayMs: 1_500 });
		const execution = startWait(jobId, pauses);
		await requestsToArrive('getJob');

		const { error } = await stopWithinASecond(execution);

		expect(error?.description).toContain(`Being paused: ${jobId}.`);
		await expectPaused(jobId);
	});

	it('goes on trying after the execution is over', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 503 });
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'reset' });
		const execution = startWait(jobId, pauses);
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);

		await expectPaused(jobId);
		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(3);
	});

	it('is off when it is not set', async () => {
		const execution = startWait(await service.givenJob(['running']));
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});
});

describe('Stop during the start of a job', () => {
	it("ends the execution, and n8n's log gets the ID of the job that was started", async () => {
		const log = captureLog();
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'delay',
			when: 'after',
			delayMs: 1_500,
		});
		const execution = service.startAgent();
		await requestsToArrive('startAgent');

		const { error } = await stopWithinASecond(execution);

		expect(error).toMatchObject({
			message: 'Execution canceled: the start of a job was not answered in time',
			description: expect.stringContaining('Starts not answered yet: 1'),
		});
		await waitFor(async () => {
			expect(log).toContain(
				`Browser Agent started job ${await theJob()}, but its execution had ended meanwhile`,
			);
		});
		await waitFor(async () => {
			expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(1);
		});
	});

	it('pauses the job as soon as it is started when Pause When Abandoned is set', async () => {
		await service.admin.nextJob(['running']);
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'delay',
			when: 'after',
			delayMs: 1_500,
		});
		const execution = service.startAgent({ options: { pauseWhenAbandoned: true } });
		await requestsToArrive('startAgent');

		await stopWithinASecond(execution);

		await waitFor(async () => {
			expect((await service.admin.job(await theJob())).status).toBe('paused');
		});
	});

	it('names the job when the answer comes just in time', async () => {
		await service.admin.nextJob(['running']);
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'delay',
			when: 'after',
			delayMs: 300,
		});
		const execution = service.startAgent({ options: { pauseWhenAbandoned: true } });
		await requestsToArrive('startAgent');

		const { error } = await stopWithinASecond(execution);

		const jobId = await theJob();
		expect(error?.description).toContain(`Paused: ${jobId}.`);
		expect((await service.admin.job(jobId)).status).toBe('paused');
	});

	it('leaves a word in the log about a start that went wrong afterwards', async () => {
		const log = captureLog();
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'reset',
			when: 'after',
			delayMs: 1_500,
		});
		const execution = service.startAgent();
		await requestsToArrive('startAgent');

		await stopWithinASecond(execution);

		await waitFor(() => {
			expect(log.join('\n')).toMatch(/it is unclear whether a job was started/);
		});
	});

	it("ends a start that stands in line for the account's rate limit, and nothing is sent", async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: MINUTE_MS } });
		const inLine = jest.spyOn(RateLimiter.prototype, 'acquire');
		const execution = service.startAgent({ waitUntilFinished: false }, { input: [{}, {}] });
		await waitFor(() => expect(inLine).toHaveBeenCalledTimes(2));

		const { error } = await stopWithinASecond(execution);

		const jobs = await service.admin.jobs();
		expect(jobs).toHaveLength(1);
		expect(error).toMatchObject({
			message: 'Execution canceled: no job was started',
			description: `Jobs started by this node: ${jobs[0]?.job_id}. Paused: ${jobs[0]?.job_id}.`,
			context: { itemIndex: 1, jobIds: [jobs[0]?.job_id] },
		});
	});

	it('ends the wait of a start that was answered with 429', async () => {
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '60' },
		});
		const execution = service.startAgent();
		await requestsToArrive('startAgent');

		const { error } = await stopWithinASecond(execution);

		expect(error?.message).toBe('Execution canceled: no job was started');
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('starts no job for the items that are still to come', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent(
			{ options: { maxParallelJobs: 1 } },
			{ input: [{}, {}, {}] },
		);
		await requestsToArrive('getJob');

		await stopWithinASecond(execution);

		expect((await service.admin.counters()).starts).toBe(1);
	});
});

describe('Stop with Retry On Fail', () => {
	it.each<[string, Partial<INode>]>([
		['alone', RETRY_ON_FAIL],
		['and Continue On Fail', { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' }],
	])('%s starts nothing again, and names the job of the first try', async (_label, settings) => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent({}, { settings });
		await requestsToArrive('getJob');

		execution.stop();

		const { status, error } = await toResult(execution.finished);
		const jobId = await theJob();
		expect(status).toBe('canceled');
		expect((await service.admin.counters()).starts).toBe(1);
		expect(error).toMatchObject({
			message: 'Execution canceled: nothing was sent',
			description: `Jobs started by this node: ${jobId}. Paused: ${jobId}.`,
		});
	});

	it('during a start sends no second one, and says that there may be a job', async () => {
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'delay',
			when: 'after',
			delayMs: 1_500,
		});
		const execution = service.startAgent({}, { settings: RETRY_ON_FAIL });
		await requestsToArrive('startAgent');

		const { error } = await stopWithinASecond(execution);

		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(1);
		expect(error).toMatchObject({
			message: 'Execution canceled: nothing was sent',
			description: expect.stringContaining('Starts not answered yet: 1'),
		});
	});
});

describe('Stop during a call that hangs', () => {
	it.each<[string, string, EndpointName]>([
		['job', 'get', 'getJob'],
		['job', 'pause', 'pauseJob'],
		['job', 'resume', 'resumeJob'],
		['jobFile', 'getAll', 'getJobFiles'],
		['account', 'getCreditBalance', 'getCreditBalance'],
		['service', 'getHealth', 'getHealth'],
	])('ends %s: %s', async (resource, operation, endpoint) => {
		await service.admin.fault({ endpoint, kind: 'delay', delayMs: 5_000 });
		const execution = service.start({ resource, operation, input: [{ job_id: 'job_1' }] });
		await requestsToArrive(endpoint);

		await stopWithinASecond(execution);
	});

	it('ends the question for Minimum Credits, and nothing is started', async () => {
		await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'delay', delayMs: 5_000 });
		const execution = service.startAgent({ options: { minimumCredits: 1 } });
		await requestsToArrive('getCreditBalance');

		await stopWithinASecond(execution);

		expect(await service.requests({ endpoint: 'startAgent' })).toEqual([]);
	});
});

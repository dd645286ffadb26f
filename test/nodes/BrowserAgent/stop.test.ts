import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../../dev/engine/engine';
import type { EndpointName } from '../../../dev/sandbox/types';
import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { captureLog } from '../../support/captureLog';
import { holdRequests } from '../../support/holdRequests';
import { RETRY_ON_FAIL, toResult, type NodeResult } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();
const { clock } = service;

// Time passes only where a test says so.
beforeEach(() => clock.hold());

/** Lets time pass until the service has received so many of these requests. */
async function untilReceived(endpoint: EndpointName, count = 1): Promise<void> {
	await waitFor(async () => {
		await clock.advance(250);
		const { requests } = await service.admin.counters();
		expect(requests[endpoint]).toBeGreaterThanOrEqual(count);
	});
}

/** Stops the execution, as a click in the editor does. What it does until it ends may take `withinMs`. */
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

function startWait(jobId: string, options: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	const parameters = { jobId, options };
	return service.start({ resource: 'job', operation: 'wait', parameters, ...more });
}

async function onlyJob(): Promise<string> {
	const [job, ...others] = await service.admin.jobs();
	expect(others).toEqual([]);
	return job?.job_id ?? 'none';
}

async function expectPaused(...jobIds: string[]): Promise<void> {
	await waitFor(async () => {
		await clock.advance(250);
		const jobs = await Promise.all(jobIds.map(async (jobId) => await service.admin.job(jobId)));
		expect(jobs.map(({ status }) => status)).toEqual(jobIds.map(() => 'paused'));
	});
}

describe('Stop while a job is waited for', () => {
	it('ends the execution at once with an error that names the job', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent();
		await untilReceived('getJob');

		const { error } = await stop(execution);

		const jobId = await onlyJob();
		expect(error).toMatchObject({
			message: `Execution canceled: the node stopped waiting for job ${jobId}`,
			description: expect.stringContaining(`Paused: ${jobId}.`),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it("leaves the job's ID in the execution's highlighted data", async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent();
		await untilReceived('getJob');

		const { run } = await stop(execution);

		expect(run.data.resultData.metadata).toEqual({ browser_agent_jobs: await onlyJob() });
	});

	it('ends a long poll interval at once', async () => {
		const execution = startWait(await service.givenJob(['running']), { pollIntervalSeconds: 600 });
		await untilReceived('getJob');

		await stop(execution);
	});

	it('ends a poll without a response at once', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'stall' });
		const execution = startWait(jobId);
		await untilReceived('getJob');

		await stop(execution);
	});

	it('ends the pause after an error at once', async () => {
		const jobId = await service.givenJob(['running']);
		const headers = { 'Retry-After': '60' };
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, headers });
		const execution = startWait(jobId);
		await untilReceived('getJob');

		await stop(execution);
	});

	it('ends a wait for the rate limit at once, and sends nothing more', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 1, windowMs: 60_000 } });
		const jobId = await service.givenJob(['running']);
		await service.run({ resource: 'job', operation: 'get', parameters: { jobId } });
		const execution = startWait(jobId);
		await clock.advance(5_000);

		await stop(execution);

		expect((await service.admin.counters()).polls).toBe(1);
	});

	it('is no failed item with Continue On Fail', async () => {
		const settings: Partial<INode> = { onError: 'continueRegularOutput' };
		const execution = startWait(await service.givenJob(['running']), {}, { settings });
		await untilReceived('getJob');

		const { status } = await stop(execution);

		expect(status).toBe('canceled');
	});
});

describe('On Stop', () => {
	it('pauses a started job by default', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent();
		await untilReceived('getJob');

		await stop(execution);

		expect((await service.admin.job(await onlyJob())).status).toBe('paused');
	});

	it('pauses a job that can only be paused once its browser is there', async () => {
		await service.admin.nextJob({
			statuses: [{ status: 'provisioning', seconds: 5 }, 'running'],
		});
		const execution = service.startAgent();
		await untilReceived('getJob');

		await stop(execution, { withinMs: 1_000 });

		await expectPaused(await onlyJob());
	});

	it('set to Leave Job Running leaves it running, and the error says so', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent({ options: { onStop: 'leave' } });
		await untilReceived('getJob');

		const { error } = await stop(execution);

		expect(error?.description).toContain(`Not paused, still using credits: ${await onlyJob()}.`);
		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});

	it('set to Leave Job Running does not overrule Pause Job When the Wait Ends Early', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent({
			options: { onStop: 'leave', pauseWhenAbandoned: true },
		});
		await untilReceived('getJob');

		await stop(execution);

		await expectPaused(await onlyJob());
	});

	it('is not an option of Job: Wait, which leaves its job running', async () => {
		const execution = startWait(await service.givenJob(['running']));
		await untilReceived('getJob');

		await stop(execution);

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});
});

describe('Pause Job When the Wait Ends Early, after a Stop,', () => {
	const PAUSES = { pauseWhenAbandoned: true };

	it('pauses the jobs of all items', async () => {
		const jobIds = [await service.givenJob(['running']), await service.givenJob(['running'])];
		const execution = service.start({
			resource: 'job',
			operation: 'wait',
			parameters: { options: PAUSES },
			input: jobIds.map((jobId) => ({ job_id: jobId })),
		});
		await untilReceived('getJob', 2);

		await stop(execution);

		await expectPaused(...jobIds);
	});

	it('pauses a job that was paused at its last poll and that its user has resumed since', async () => {
		const jobId = await service.givenJob(['paused', 'running']);
		const execution = startWait(jobId, { ...PAUSES, pollIntervalSeconds: 600 });
		await untilReceived('getJob');
		await service.run({ resource: 'job', operation: 'resume', parameters: { jobId } });

		const { error } = await stop(execution);

		await expectPaused(jobId);
		expect(error?.description).toContain(`Paused: ${jobId}.`);
	});

	it('lists a job that its user has left paused among the paused ones', async () => {
		const jobId = await service.givenJob(['paused']);
		const execution = startWait(jobId, PAUSES);
		await untilReceived('getJob');

		const { error } = await stop(execution);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(1);
		expect(error?.description).toContain(`Paused: ${jobId}.`);
	});

	it('ends within a second although the pause is not answered yet', async () => {
		const pauses = holdRequests('pause_job');
		const jobId = await service.givenJob(['running']);
		const execution = startWait(jobId, PAUSES, { onRequest: pauses.onRequest });
		await untilReceived('getJob');

		const { error } = await stop(execution, { withinMs: 1_000 });

		expect(error?.description).toContain(`Being paused: ${jobId}.`);
		pauses.release();
		await expectPaused(jobId);
	});

	it('repeats a pause that has failed after the execution has ended', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 503 });
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'reset' });
		const execution = startWait(jobId, PAUSES);
		await untilReceived('getJob');

		await stop(execution, { withinMs: 1_000 });

		await expectPaused(jobId);
		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(3);
	});
});

describe('Stop while a start is not answered', () => {
	const starts = () => holdRequests('run_browser_agent');

	it('ends the execution within a second, and the error says how many starts are open', async () => {
		const { onRequest, sent } = starts();
		const execution = service.startAgent({}, { onRequest });
		await sent();

		const { error } = await stop(execution, { withinMs: 1_000 });

		expect(error).toMatchObject({
			message: 'Execution canceled: the start of a job was not answered in time',
			description: expect.stringContaining('Starts not answered yet: 1'),
		});
	});

	it.each<[string, INodeParameters]>([
		['by default', {}],
		['with Pause Job When the Wait Ends Early', { onStop: 'leave', pauseWhenAbandoned: true }],
	])('logs the ID of the job that starts later and pauses it %s', async (_label, options) => {
		const log = captureLog();
		await service.admin.nextJob(['running']);
		const { onRequest, sent, release } = starts();
		const execution = service.startAgent({ options }, { onRequest });
		await sent();
		await stop(execution, { withinMs: 1_000 });

		release();

		await waitFor(async () => expect(await onlyJob()).not.toBe('none'));
		const jobId = await onlyJob();
		await expectPaused(jobId);
		expect(log).toContain(
			`Browser Agent started job ${jobId}, but its execution had ended meanwhile`,
		);
	});

	it('names and pauses the job when the answer comes within the second', async () => {
		await service.admin.nextJob(['running']);
		const { onRequest, sent, release } = starts();
		const execution = service.startAgent({}, { onRequest });
		await sent();
		const stopping = stop(execution);

		release();

		const { error } = await stopping;
		const jobId = await onlyJob();
		expect(error?.description).toContain(`Paused: ${jobId}.`);
		expect((await service.admin.job(jobId)).status).toBe('paused');
	});

	it('logs that it is unclear whether a job was started when the start fails later', async () => {
		const log = captureLog();
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });
		const { onRequest, sent, release } = starts();
		const execution = service.startAgent({}, { onRequest });
		await sent();
		await stop(execution, { withinMs: 1_000 });

		release();

		await waitFor(() => {
			expect(log.join('\n')).toContain('it is unclear whether a job was started');
		});
	});
});

describe('Stop before a start', () => {
	it('ends a wait for the rate limit at once, and sends nothing', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60_000 } });
		const execution = service.startAgent({ waitUntilFinished: false }, { input: [{}, {}] });
		await untilReceived('startAgent');
		await clock.advance(5_000);

		const { error } = await stop(execution);

		const jobId = await onlyJob();
		expect(error).toMatchObject({
			message: 'Execution canceled: no job was started',
			description: `Jobs started by this node: ${jobId}. Paused: ${jobId}.`,
			context: { itemIndex: 1, jobIds: [jobId] },
		});
	});

	it('ends the pause after a 429 at once', async () => {
		const headers = { 'Retry-After': '60' };
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 429, headers });
		const execution = service.startAgent();
		await untilReceived('startAgent');

		const { error } = await stop(execution);

		expect(error?.message).toBe('Execution canceled: no job was started');
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('ends the check of Minimum Credits at once, and starts nothing', async () => {
		await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'stall' });
		const execution = service.startAgent({ options: { minimumCredits: 1 } });
		await untilReceived('getCreditBalance');

		await stop(execution);

		expect(await service.requests({ endpoint: 'startAgent' })).toEqual([]);
	});

	it('starts no jobs for the items that are left', async () => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent(
			{ options: { maxParallelJobs: 1 } },
			{ input: [{}, {}, {}] },
		);
		await untilReceived('getJob');

		await stop(execution);

		expect((await service.admin.counters()).starts).toBe(1);
	});
});

describe('Stop with Retry On Fail', () => {
	const RETRY_AND_CONTINUE: Partial<INode> = {
		...RETRY_ON_FAIL,
		onError: 'continueRegularOutput',
	};
	const TIMES_OUT = { maxWaitMinutes: 0.1, pauseWhenAbandoned: true };
	const LONG = { durationSeconds: 900 };

	it.each<[string, Partial<INode>]>([
		['alone', RETRY_ON_FAIL],
		['and Continue On Fail', { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' }],
	])('%s starts nothing again and names the job of the first try', async (_label, settings) => {
		await service.admin.nextJob(['running']);
		const execution = service.startAgent({}, { settings });
		await untilReceived('getJob');

		const { error } = await stop(execution);

		const jobId = await onlyJob();
		expect(error).toMatchObject({
			message: 'Execution canceled: nothing was sent',
			description: `Jobs started by this node: ${jobId}. Paused: ${jobId}.`,
		});
	});

	it('pauses a job that a further try has resumed and not polled yet', async () => {
		const failing = await service.givenJob(['running']);
		const resumed = await service.givenJob(LONG);
		await service.admin.fault({ endpoint: 'getJob', jobId: failing, kind: 'status', status: 403 });
		const polls = holdRequests(`get_job_status/${resumed}`);
		let isResumed = false;
		const execution = service.start({
			resource: 'job',
			operation: 'wait',
			parameters: { options: { ...TIMES_OUT, onTimeout: 'return' } },
			input: [{ job_id: failing }, { job_id: resumed }],
			settings: RETRY_AND_CONTINUE,
			onRequest: async (request) => {
				isResumed ||= request.url.includes('resume_job');
				return isResumed ? await polls.onRequest(request) : undefined;
			},
		});
		await clock.advance(7_000);
		await untilReceived('resumeJob');
		await polls.sent();

		await stop(execution);

		await expectPaused(resumed);
	});

	it('pauses a job that could not be paused before', async () => {
		const failing = await service.givenJob(LONG);
		const other = await service.givenJob(LONG);
		const refusal = { kind: 'status' as const, status: 503, times: 'always' as const };
		await service.admin.fault({ endpoint: 'pauseJob', jobId: failing, ...refusal });
		await service.admin.fault({ endpoint: 'getJob', jobId: other, kind: 'status', status: 403 });
		const execution = service.start({
			resource: 'job',
			operation: 'wait',
			parameters: { options: { ...TIMES_OUT, maxWaitMinutes: '={{ $json.minutes }}' } },
			input: [
				{ job_id: failing, minutes: 0.1 },
				{ job_id: other, minutes: 60 },
			],
			settings: RETRY_AND_CONTINUE,
		});
		await clock.advance(45_000);
		await service.admin.clearFaults();

		await stop(execution, { withinMs: 1_000 });

		await expectPaused(failing, other);
	});

	it('does not repeat a start that is not answered', async () => {
		const { onRequest, sent, release } = holdRequests('run_browser_agent');
		const execution = service.startAgent({}, { settings: RETRY_ON_FAIL, onRequest });
		await sent();

		const { error } = await stop(execution, { withinMs: 1_000 });

		expect(error).toMatchObject({
			message: 'Execution canceled: nothing was sent',
			description: expect.stringContaining('Starts not answered yet: 1'),
		});
		release();
		await waitFor(async () => expect(await onlyJob()).not.toBe('none'));
	});
});

describe('Stop ends at once', () => {
	it.each<[string, string, EndpointName]>([
		['job', 'get', 'getJob'],
		['job', 'pause', 'pauseJob'],
		['job', 'resume', 'resumeJob'],
		['jobFile', 'getAll', 'getJobFiles'],
		['account', 'getCreditBalance', 'getCreditBalance'],
		['service', 'getHealth', 'getHealth'],
	])('%s: %s without a response', async (resource, operation, endpoint) => {
		await service.admin.fault({ endpoint, kind: 'delay', delayMs: 60_000 });
		const execution = service.start({ resource, operation, input: [{ job_id: 'job_1' }] });
		await untilReceived(endpoint);

		await stop(execution);
	});
});

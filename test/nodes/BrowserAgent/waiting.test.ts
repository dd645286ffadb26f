import type { INodeParameters } from 'n8n-workflow';

import type { JobScript, LoggedRequest } from '../../../dev/sandbox/types';
import { steadyClock } from '../../support/steadyClock';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';
import { currentClock, setClock } from '../../support/testRuntime';

const service = useSandbox();

/** Job: Wait with these options. */
async function waitFor(
	jobId: string,
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
) {
	return await service.run({
		resource: 'job',
		operation: 'wait',
		parameters: { jobId, options },
		...more,
	});
}

/** The seconds between the requests, in the service's time. */
function secondsBetween(requests: LoggedRequest[]): number[] {
	return requests
		.slice(1)
		.map(({ sandboxMs }, index) => (sandboxMs - (requests[index]?.sandboxMs ?? 0)) / 1000);
}

describe('the statuses of a job that is waited for', () => {
	it('are asked for as long as they are unknown or none of an end', async () => {
		const jobId = await service.givenJob([
			'provisioning',
			'queued',
			'running',
			'paused',
			'running',
			'completed',
		]);

		const { items } = await waitFor(jobId);

		expect(await service.requests()).toHaveLength(6);
		expect(items[0]?.json.status).toBe('completed');
	});
});

describe('Max Wait Minutes', () => {
	it.each<[string, number | string]>([
		['a fraction', 0.05],
		['text', '={{ "0.05" }}'],
	])('ends the wait with an error that names the job, given as %s', async (_l, maxWaitMinutes) => {
		const jobId = await service.givenJob(['running']);
		const began = currentClock().now();

		const { error } = await waitFor(jobId, { maxWaitMinutes });

		const tookMs = currentClock().now() - began;
		expect(tookMs).toBeGreaterThanOrEqual(3_000);
		expect(tookMs).toBeLessThan(60_000);
		expect(error).toMatchObject({
			message: `Job ${jobId} was still running after 0.05 minutes`,
			description:
				"Raise 'Max Wait Minutes', or get the result later with Job: Wait. The job continues and uses credits.",
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('says a single minute as such', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await waitFor(jobId, { maxWaitMinutes: 1 });

		expect(error?.message).toBe(`Job ${jobId} was still running after 1 minute`);
	});

	it('has a last look at its end, however far the next poll would be', async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { items } = await waitFor(jobId, { maxWaitMinutes: 0.1, pollIntervalSeconds: 600 });

		expect(await service.requests()).toHaveLength(2);
		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
	});

	it('has its last look also when a machine that was busy comes to it late', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const clock = currentClock();
		let lateBy = 0;
		setClock({
			...clock,
			now: () => clock.now() + lateBy,
			async sleep(...args) {
				await clock.sleep(...args);
				lateBy = 10_000;
			},
		});

		const { items } = await waitFor(jobId, { maxWaitMinutes: 0.1, pollIntervalSeconds: 600 });

		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
	});
});

describe('Poll Interval Seconds', () => {
	it('is the least time between two looks', async () => {
		const jobId = await service.givenJob(['running', 'running', 'running', 'completed']);

		await waitFor(jobId, { pollIntervalSeconds: 6 });

		const pauses = secondsBetween(await service.requests());
		expect(pauses).toHaveLength(3);
		for (const pause of pauses) expect(pause).toBeGreaterThan(5.9);
	});

	it('is, when it is not set, short for a job that has just begun', async () => {
		setClock(steadyClock(10));
		const jobId = await service.givenJob(['running', 'running', 'completed']);

		await waitFor(jobId);

		const [first, second, third] = (await service.requests()).map(({ realMs }) => realMs);
		expect((second ?? 0) - (first ?? 0)).toBeLessThan(500);
		expect((third ?? 0) - (second ?? 0)).toBeLessThan(500);
	});
});

describe('On Timeout = Return', () => {
	it('hands the job back as it stands', async () => {
		const jobId = await service.givenJob(['provisioning']);

		const { items, status } = await waitFor(jobId, { maxWaitMinutes: 0.05, onTimeout: 'return' });

		expect(status).toBe('success');
		expect(items[0]?.json).toMatchObject({
			job_id: jobId,
			status: 'provisioning',
			is_finished: false,
		});
	});

	it('hands back the finished job when the last look finds it so', async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { items } = await waitFor(jobId, {
			maxWaitMinutes: 0.1,
			pollIntervalSeconds: 600,
			onTimeout: 'return',
		});

		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
	});

	it('still fails when the job could not be looked at even once', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 'always' });

		const { error } = await waitFor(jobId, { maxWaitMinutes: 0.05, onTimeout: 'return' });

		expect(error?.message).toBe(`The status of job ${jobId} could not be checked for 0.05 minutes`);
	});
});

describe('On Unsuccessful', () => {
	it.each<[string, JobScript, string]>([
		['that failed', { statuses: ['failed'], error: 'A captcha' }, 'failed: A captcha'],
		['that failed without a reason', { statuses: ['failed'], nullFields: ['error'] }, 'failed'],
		[
			'that was taken over',
			{ statuses: ['user_taken_over'], error: 'By Ann' },
			'was taken over by a user: By Ann',
		],
		['that was canceled', { statuses: ['canceled'] }, 'was cancelled'],
		['that was cancelled', { statuses: ['cancelled'] }, 'was cancelled'],
		[
			'whose reason speaks of a canceled thing',
			{ statuses: ['failed'], error: 'The order was canceled' },
			'failed: The order was cancelled',
		],
		[
			'whose reason has the name of a network fault in it',
			{ statuses: ['failed'], error: 'connect ECONNREFUSED 10.0.0.1' },
			'failed: connect ECONNREFUSED 10.0.0.1',
		],
	])('fails with the reason of a job %s', async (_label, script, words) => {
		const jobId = await service.givenJob(script);

		const { error, status, items } = await waitFor(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId} ${words}`,
			description: expect.stringContaining("'On Unsuccessful'"),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(status).toBe('error');
		expect(items).toEqual([]);
	});

	it.each<[string, string]>([
		['failed', 'failed'],
		['user_taken_over', 'user_taken_over'],
		['canceled', 'canceled'],
		['cancelled', 'canceled'],
	])('set to Return, makes an item of a job that is %s', async (sent, shown) => {
		const jobId = await service.givenJob({ statuses: [sent], error: 'For a reason' });

		const { items, status } = await waitFor(jobId, { onUnsuccessful: 'return' });

		expect(status).toBe('success');
		expect(items[0]?.json).toMatchObject({
			status: shown,
			job_error: 'For a reason',
			is_finished: true,
		});
		expect(items[0]?.json).not.toHaveProperty('error');
	});
});

describe('On Paused', () => {
	it('waits for somebody to resume the job', async () => {
		const jobId = await service.givenJob(['paused', 'paused', 'running', 'completed']);

		const { items } = await waitFor(jobId);

		expect(items[0]?.json.status).toBe('completed');
	});

	it('set to Return, hands the paused job back', async () => {
		const jobId = await service.givenJob(['running', 'paused', 'running', 'completed']);

		const { items } = await waitFor(jobId, { onPaused: 'return' });

		expect(await service.requests()).toHaveLength(2);
		expect(items[0]?.json).toMatchObject({ status: 'paused', is_finished: false });
	});
});

describe('Pause When Abandoned', () => {
	const outOfTime = { maxWaitMinutes: 0.05, pauseWhenAbandoned: true };

	it('pauses the job when time is up, and says so', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await waitFor(jobId, outOfTime);

		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(error?.description).toContain(
			'The job was paused. The service fails a job that is paused for 6 hours.',
		);
	});

	it('is off when it is not set', async () => {
		const jobId = await service.givenJob(['running']);

		await waitFor(jobId, { maxWaitMinutes: 0.05 });

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});

	it('pauses the job before On Timeout = Return hands it back', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await waitFor(jobId, { ...outOfTime, onTimeout: 'return' });

		expect(items[0]?.json).toMatchObject({ status: 'paused', is_finished: false });
	});

	it('goes on trying while the service cannot take the pause', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 503 });
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'reset' });

		const { error } = await waitFor(jobId, outOfTime);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(3);
		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(error?.description).toContain('The job was paused.');
	});

	it('does not hold the node up for longer than the pause is worth', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'pauseJob',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '3600' },
		});
		const began = currentClock().now();

		const { error } = await waitFor(jobId, outOfTime);

		expect(currentClock().now() - began).toBeLessThan(120_000);
		expect(error?.description).toContain('The job could not be paused');
	});

	it('says so when the job cannot be paused', async () => {
		const jobId = await service.givenJob(['provisioning']);

		const { error } = await waitFor(jobId, outOfTime);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(1);
		expect(error?.description).toContain(
			'The job could not be paused: it may continue and use credits.',
		);
	});

	it('leaves a job alone that is paused already', async () => {
		const jobId = await service.givenJob(['paused']);

		const { error } = await waitFor(jobId, outOfTime);

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
		expect(error?.description).toContain('The job is paused.');
	});

	it('pauses the job when it cannot be looked at any more', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { error } = await waitFor(jobId, { pauseWhenAbandoned: true });

		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(error?.description).toContain('The job was paused.');
	});

	it('leaves a job alone that ended by itself', async () => {
		const jobId = await service.givenJob(['failed']);

		await waitFor(jobId, { pauseWhenAbandoned: true });

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});
});

describe('Parse JSON Output', () => {
	it.each<[string, unknown, unknown]>([
		['a bare object', ' {"price": 20} ', { price: 20 }],
		['a bare list', '[1, 2]', [1, 2]],
		['an object in a fence', '```json\n{"price": 20}\n```', { price: 20 }],
		['a list in a fence without a language', '```\n[1]\n```\n', [1]],
		['plain text', 'It costs 20', 'It costs 20'],
		['text around JSON', 'Here: {"price": 20}', 'Here: {"price": 20}'],
		['JSON that is cut off', '{"price": 2', '{"price": 2'],
		['a number', '20', '20'],
		['a word in quotes', '"yes"', '"yes"'],
		['null', 'null', 'null'],
		['data already', { price: 20 }, { price: 20 }],
	])('makes of %s what it is', async (_label, output, expected) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output });

		const { items } = await waitFor(jobId, { parseJsonOutput: true });

		expect(items[0]?.json.output).toEqual(expected);
	});

	it('is off when it is not set', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: '{"price": 20}' });

		const { items } = await waitFor(jobId);

		expect(items[0]?.json.output).toBe('{"price": 20}');
	});
});

describe('a fault while waiting that will pass', () => {
	it.each<[string, FaultCase]>([
		['500', { kind: 'status', status: 500 }],
		['502 with a web page', { kind: 'status', status: 502, body: '<h1>Bad gateway</h1>' }],
		['503', { kind: 'status', status: 503 }],
		['504', { kind: 'status', status: 504 }],
		['408', { kind: 'status', status: 408 }],
		['429', { kind: 'status', status: 429 }],
		['connection that breaks', { kind: 'reset' }],
		['answer that is cut off', { kind: 'truncate' }],
		['broken JSON', { kind: 'body', body: '{"status": "runn' }],
		['web page', { kind: 'body', body: '<h1>Hello</h1>', contentType: 'text/html' }],
		['empty body', { kind: 'body', body: '' }],
		['body without a status', { kind: 'body', body: { job_id: 'job_1' } }],
	])('is survived twice in a row: %s', async (_label, fault) => {
		const jobId = await service.givenJob(['running', 'completed']);
		await service.admin.fault({ endpoint: 'getJob', skip: 1, times: 2, ...fault });

		const { items, error } = await waitFor(jobId);

		expect(error).toBeUndefined();
		expect(items[0]?.json.status).toBe('completed');
		expect(await service.requests()).toHaveLength(4);
	});

	it('is survived when nobody answers at all for a while', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		let asked = 0;

		const { items } = await waitFor(
			jobId,
			{},
			{
				onRequest: () => (++asked <= 3 ? { url: 'http://127.0.0.1:1/' } : undefined),
			},
		);

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is survived when an answer does not come in time', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'stall' });

		const { items } = await waitFor(jobId, {}, { onRequest: () => ({ timeout: 100 }) });

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is asked about again later and later', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 4 });

		await waitFor(jobId);

		const [first = 0, , , last = 0] = secondsBetween(await service.requests());
		expect(first).toBeGreaterThan(0.9);
		expect(last).toBeGreaterThan(7.5);
	});

	it.each<[string, () => string]>([
		['seconds', () => '15'],
		['a date', () => new Date(currentClock().date() + 16_000).toUTCString()],
	])('is left alone for as long as Retry-After says in %s', async (_label, retryAfter) => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': retryAfter() },
		});

		await waitFor(jobId);

		const [pause = 0] = secondsBetween(await service.requests());
		expect(pause).toBeGreaterThan(13);
		expect(pause).toBeLessThan(90);
	});

	it('does not keep the wait past its deadline, however long Retry-After is', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 503,
			skip: 1,
			headers: { 'Retry-After': '3600' },
		});

		const { error } = await waitFor(jobId, { maxWaitMinutes: 0.1 });

		expect(error?.message).toBe(`Job ${jobId} was still running after 0.1 minutes`);
	});

	it('is named when there was nothing else until the deadline', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 'always' });

		const { error } = await waitFor(jobId, { maxWaitMinutes: 0.1 });

		expect(error).toMatchObject({
			message: `The status of job ${jobId} could not be checked for 0.1 minutes`,
			description: expect.stringContaining(
				'The last error: The service failed to process the request (HTTP 503).',
			),
			context: { jobIds: [jobId] },
		});
	});

	it('is named beside the last known status when it lasted until the deadline', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'reset', skip: 1, times: 'always' });

		const { error } = await waitFor(jobId, { maxWaitMinutes: 0.1 });

		expect(error?.message).toBe(`Job ${jobId} was still running after 0.1 minutes`);
		expect(error?.description).toContain('The last error: The connection to the service was lost');
	});
});

describe('a job that the service does not know yet', () => {
	it('is asked for again right after its start', async () => {
		setClock(steadyClock(10));
		await service.admin.nextJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 404, times: 2 });

		const { items } = await service.runAgent();

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is given up 10 seconds after its start', async () => {
		await service.admin.nextJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 404,
			skip: 1,
			times: 'always',
		});

		const { error } = await service.runAgent({ options: { pollIntervalSeconds: 6 } });

		const [job] = await service.admin.jobs();
		expect(error?.message).toBe(`Job ${job?.job_id} was not found`);
		expect(await service.requests({ endpoint: 'getJob' })).toHaveLength(2);
	});
});

describe('a fault while waiting that will not pass', () => {
	it.each<[number, (jobId: string) => string]>([
		[401, (jobId) => `Job ${jobId}: The service did not accept the API key`],
		[403, (jobId) => `Job ${jobId}: The API key has no permission for this`],
		[404, (jobId) => `Job ${jobId} was not found`],
		[400, (jobId) => `Job ${jobId}: The service did not accept the request: No`],
	])('ends the wait at once, with the job in the message: %i', async (status, message) => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status,
			body: { detail: 'No', status_code: status },
			skip: 1,
		});

		const { error } = await waitFor(jobId);

		expect(error).toMatchObject({
			message: message(jobId),
			httpCode: String(status),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(await service.requests()).toHaveLength(2);
	});

	it('tells that a job that was started goes on', async () => {
		await service.admin.nextJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { error } = await service.runAgent();

		expect(error?.description).toContain('The job continues and uses credits.');
	});
});

describe('the options of waiting', () => {
	it('work for a job of Agent: Run as well', async () => {
		await service.admin.nextJob({
			statuses: ['running', 'failed'],
			output: '{"seen": 3}',
			error: 'A captcha',
		});

		const { items } = await service.runAgent({
			options: { onUnsuccessful: 'return', parseJsonOutput: true, pollIntervalSeconds: 2 },
		});

		expect(items[0]?.json).toMatchObject({
			status: 'failed',
			job_error: 'A captcha',
			output: { seen: 3 },
		});
	});

	it('work for a job of Workflow: Run as well', async () => {
		await service.admin.nextJob(['running']);

		const { items } = await service.run({
			resource: 'workflow',
			operation: 'run',
			parameters: {
				workflowId: 'wf_daily_report',
				options: { maxWaitMinutes: 0.05, onTimeout: 'return', pauseWhenAbandoned: true },
			},
		});

		expect(items[0]?.json).toMatchObject({
			status: 'paused',
			is_finished: false,
			workflow_id: 'wf_daily_report',
		});
	});
});

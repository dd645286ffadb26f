import type { INodeParameters } from 'n8n-workflow';

import type { JobScript, LoggedRequest } from '../../../dev/sandbox/types';
import { useSandbox, type FaultCase } from '../../support/useSandbox';

// These options are the same on all operations that wait; most tests use Job: Wait.
const service = useSandbox();
const { clock } = service;

/** The seconds between requests, in the service's time. */
function secondsBetween(requests: LoggedRequest[]): number[] {
	return requests
		.slice(1)
		.map(({ sandboxMs }, index) => (sandboxMs - (requests[index]?.sandboxMs ?? 0)) / 1000);
}

describe('Waiting', () => {
	it('continues through statuses that are unknown or not final', async () => {
		const jobId = await service.givenJob([
			'provisioning',
			'unknown',
			'running',
			'paused',
			'running',
			'completed',
		]);

		const { items } = await service.waitForJob(jobId);

		expect(await service.requests()).toHaveLength(6);
		expect(items[0]?.json.status).toBe('completed');
	});

	it('works with its options on Agent: Run', async () => {
		await service.admin.nextJob({
			statuses: ['running', 'failed'],
			output: '{"seen": 3}',
			error: 'A captcha',
		});

		const { items } = await service.runAgent({
			options: { onUnsuccessful: 'return', parseJsonOutput: true },
		});

		expect(items[0]?.json).toMatchObject({
			status: 'failed',
			job_error: 'A captcha',
			output: { seen: 3 },
		});
	});

	it('works with its options on Workflow: Run', async () => {
		await service.admin.nextJob(['running']);

		const { items } = await service.runWorkflow({
			options: { maxWaitMinutes: 0.1, onTimeout: 'return', pauseWhenAbandoned: true },
		});

		expect(items[0]?.json).toMatchObject({
			status: 'paused',
			is_finished: false,
			workflow_id: 'wf_daily_report',
		});
	});
});

describe('Max Wait (Minutes)', () => {
	it.each<[string, number | string]>([
		['a fraction', 0.5],
		['text', '={{ "0.5" }}'],
	])('ends the wait with an error that names the job, given as %s', async (_l, maxWaitMinutes) => {
		const jobId = await service.givenJob(['running']);
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes });

		expect(clock.now() - began).toBe(30_000);
		expect(error).toMatchObject({
			message: `Job ${jobId} was still running after 0.5 minutes`,
			description: expect.stringContaining(
				"Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. The job continues and uses credits.",
			),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it('is in the singular when it is 1', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 1 });

		expect(error?.message).toBe(`Job ${jobId} was still running after 1 minute`);
	});

	it('ends with a last poll, whatever Poll Interval (Seconds) is', async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { items } = await service.waitForJob(jobId, {
			maxWaitMinutes: 1,
			pollIntervalSeconds: 600,
		});

		expect(secondsBetween(await service.requests())).toEqual([60]);
		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
	});
});

describe('Poll Interval (Seconds)', () => {
	it('is the minimum time between polls', async () => {
		const jobId = await service.givenJob(['running', 'running', 'running', 'completed']);

		await service.waitForJob(jobId, { pollIntervalSeconds: 6 });

		expect(secondsBetween(await service.requests())).toEqual([6, 6, 6]);
	});

	it('is short at first and longer later when it is not set', async () => {
		const jobId = await service.givenJob({ durationSeconds: 120 });

		await service.waitForJob(jobId);

		const intervals = secondsBetween(await service.requests());
		expect(intervals[0]).toBeLessThan(2);
		expect(intervals.at(-1)).toBeGreaterThan(4);
	});
});

describe('On Timeout set to Return', () => {
	it('returns the job as it stands', async () => {
		const jobId = await service.givenJob(['provisioning']);

		const { items, status } = await service.waitForJob(jobId, {
			maxWaitMinutes: 0.1,
			onTimeout: 'return',
		});

		expect(status).toBe('success');
		expect(items[0]?.json).toMatchObject({
			job_id: jobId,
			status: 'provisioning',
			is_finished: false,
		});
	});

	it('returns the finished job when the last poll finds it finished', async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { items } = await service.waitForJob(jobId, {
			maxWaitMinutes: 1,
			pollIntervalSeconds: 600,
			onTimeout: 'return',
		});

		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
	});

	it('fails all the same when no poll has succeeded', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 'always' });

		const { error } = await service.waitForJob(jobId, {
			maxWaitMinutes: 0.1,
			onTimeout: 'return',
		});

		expect(error?.message).toBe(`The status of job ${jobId} could not be checked for 0.1 minutes`);
	});
});

describe('On Job Failure', () => {
	it.each<[string, JobScript, string]>([
		['failed', { statuses: ['failed'], error: 'A captcha' }, 'failed: A captcha'],
		['failed without a reason', { statuses: ['failed'], nullFields: ['error'] }, 'failed'],
		['was canceled', { statuses: ['canceled'] }, 'was cancelled'],
		['was cancelled', { statuses: ['cancelled'] }, 'was cancelled'],
	])('set to Fail fails with the reason of a job that %s', async (_label, script, words) => {
		const jobId = await service.givenJob(script);

		const { error, status, items } = await service.waitForJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId} ${words}`,
			description: expect.stringContaining("'On Job Failure'"),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(status).toBe('error');
		expect(items).toEqual([]);
	});

	it.each<[string, string]>([
		['failed', 'failed'],
		['user_taken_over', 'user_taken_over'],
		['cancelled', 'canceled'],
	])('set to Return returns a job with the status %s and its reason', async (sent, shown) => {
		const jobId = await service.givenJob({ statuses: [sent], error: 'For a reason' });

		const { items, status } = await service.waitForJob(jobId, { onUnsuccessful: 'return' });

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
	it('set to Wait waits until somebody resumes the job', async () => {
		const jobId = await service.givenJob(['paused', 'paused', 'running', 'completed']);

		const { items } = await service.waitForJob(jobId);

		expect(items[0]?.json.status).toBe('completed');
	});

	it('set to Return returns the paused job', async () => {
		const jobId = await service.givenJob(['running', 'paused', 'running', 'completed']);

		const { items } = await service.waitForJob(jobId, { onPaused: 'return' });

		expect(await service.requests()).toHaveLength(2);
		expect(items[0]?.json).toMatchObject({ status: 'paused', is_finished: false });
	});
});

describe('On Taken Over', () => {
	const TAKEN_OVER = ['running', 'user_taken_over', 'running', 'completed'];

	it('is as On Job Failure by default: fails with the links for a person', async () => {
		const jobId = await service.givenJob({ statuses: ['user_taken_over'], error: 'By Ann' });

		const { error, status } = await service.waitForJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId} was taken over by a user: By Ann`,
			description: expect.stringMatching(
				/'On Taken Over'\. Its live view: http\S+ Its history: http/,
			),
		});
		expect(status).toBe('error');
	});

	it.each([{ onUnsuccessful: 'return' }, { onTakenOver: 'return' }])(
		'returns the job with its links and as finished with %j',
		async (options) => {
			const jobId = await service.givenJob(TAKEN_OVER);

			const { items } = await service.waitForJob(jobId, options);

			expect(items[0]?.json).toMatchObject({
				status: 'user_taken_over',
				is_finished: true,
				live_url: expect.stringContaining('http'),
				history_url: expect.stringContaining('http'),
			});
		},
	);

	it('set to Keep Waiting waits until the agent continues and the job has finished', async () => {
		const jobId = await service.givenJob(TAKEN_OVER);

		const { items } = await service.waitForJob(jobId, { onTakenOver: 'wait' });

		expect(items[0]?.json.status).toBe('completed');
	});

	it.each([
		['Agent: Run', () => service.runAgent({ options: { onTakenOver: 'wait' } })],
		['Workflow: Run', () => service.runWorkflow({ options: { onTakenOver: 'wait' } })],
	])('set to Keep Waiting works on %s', async (_label, run) => {
		await service.admin.nextJob(TAKEN_OVER);

		const { items } = await run();

		expect(items[0]?.json.status).toBe('completed');
	});

	it('set to Keep Waiting waits for Max Wait (Minutes) at most', async () => {
		const jobId = await service.givenJob(['user_taken_over']);

		const { error } = await service.waitForJob(jobId, { onTakenOver: 'wait', maxWaitMinutes: 1 });

		expect(error?.message).toBe(`Job ${jobId} was still user_taken_over after 1 minute`);
		expect(error?.description).toMatch(/ Its live view: http\S+ Its history: http/);
	});
});

describe('Pause Job When the Wait Ends Early', () => {
	const TIMED_OUT = { maxWaitMinutes: 0.1, pauseWhenAbandoned: true };

	it('pauses the job after Max Wait (Minutes), and says so', async () => {
		const jobId = await service.givenJob(['running']);

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(error?.description).toContain(
			'The job is paused. The service fails a job that is paused for 6 hours.',
		);
	});

	it('is off by default', async () => {
		const jobId = await service.givenJob(['running']);

		await service.waitForJob(jobId, { maxWaitMinutes: 0.1 });

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});

	it('pauses the job before On Timeout returns it', async () => {
		const jobId = await service.givenJob(['running']);

		const { items } = await service.waitForJob(jobId, { ...TIMED_OUT, onTimeout: 'return' });

		expect(items[0]?.json).toMatchObject({ status: 'paused', is_finished: false });
	});

	it('pauses the job after an error that ends the wait', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { error } = await service.waitForJob(jobId, { pauseWhenAbandoned: true });

		expect((await service.admin.job(jobId)).status).toBe('paused');
		expect(error?.description).toContain('The job is paused.');
	});

	it('repeats the request after transient errors', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 503 });
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'reset' });

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(3);
		expect(error?.description).toContain('The job is paused.');
	});

	it('takes the job for paused if a pause was processed and only its response was lost', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'reset', when: 'after' });

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(2);
		expect(error?.description).toContain('The job is paused.');
	});

	it('does not wait for a service that asks for an hour', async () => {
		const jobId = await service.givenJob(['running']);
		const headers = { 'Retry-After': '3600' };
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 429, headers });
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(clock.now() - began).toBeLessThan(20_000);
		expect(error?.description).toContain('The job could not be paused');
	});

	it('says that the job could not be paused', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 400 });

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(1);
		expect(error?.description).toContain(
			'The job could not be paused: it may continue and use credits.',
		);
	});

	it('sends nothing for a job that is paused already', async () => {
		const jobId = await service.givenJob(['paused']);

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
		expect(error?.description).toContain('The job is paused.');
	});

	it('sends nothing for a job that has failed', async () => {
		const jobId = await service.givenJob(['failed']);

		await service.waitForJob(jobId, { pauseWhenAbandoned: true });

		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});
});

describe('Parse JSON Output', () => {
	// What counts as JSON is tested with `parseJsonOutput`.
	it.each<[string, INodeParameters, unknown, unknown]>([
		['turns JSON into data', { parseJsonOutput: true }, '```json\n[1]\n```', [1]],
		['leaves other text alone', { parseJsonOutput: true }, 'It costs 20', 'It costs 20'],
		['is off by default', {}, '{"price": 20}', '{"price": 20}'],
	])('%s', async (_label, options, output, expected) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output });

		const { items } = await service.waitForJob(jobId, options);

		expect(items[0]?.json.output).toEqual(expected);
	});
});

describe('A transient error during the wait', () => {
	it.each<[string, FaultCase]>([
		['a 500', { kind: 'status', status: 500 }],
		['a 429', { kind: 'status', status: 429 }],
		['a reset connection', { kind: 'reset' }],
		['a response that does not come', { kind: 'stall' }],
		['a body without a status', { kind: 'body', body: { job_id: 'job_1' } }],
	])('is followed by another poll, twice in a row: %s', async (_label, fault) => {
		const jobId = await service.givenJob(['running', 'completed']);
		await service.admin.fault({ endpoint: 'getJob', skip: 1, times: 2, ...fault });

		const { items, error } = await service.waitForJob(jobId);

		expect(error).toBeUndefined();
		expect(items[0]?.json.status).toBe('completed');
		expect(await service.requests()).toHaveLength(4);
	});

	it('is followed by another poll when the connection is refused', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		let sent = 0;

		const { items } = await service.waitForJob(
			jobId,
			{},
			{ onRequest: () => (++sent <= 3 ? { url: 'http://127.0.0.1:1/' } : undefined) },
		);

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is followed by longer and longer pauses', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 4 });

		await service.waitForJob(jobId);

		const pauses = secondsBetween(await service.requests());
		expect(pauses.map(Math.floor)).toEqual([1, 2, 4, 8]);
	});

	it.each<[string, () => string]>([
		['in seconds', () => '15'],
		['as a date', () => new Date(clock.date() + 15_900).toUTCString()],
	])('is followed by the pause of Retry-After %s', async (_label, retryAfter) => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': retryAfter() },
		});

		await service.waitForJob(jobId);

		// A share of it comes on top, and dates have no milliseconds.
		const [pause = 0] = secondsBetween(await service.requests());
		expect(pause).toBeGreaterThanOrEqual(14.9);
		expect(pause).toBeLessThan(18);
	});

	it('does not extend the wait, however long Retry-After is', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status: 503,
			skip: 1,
			headers: { 'Retry-After': '3600' },
		});
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.5 });

		expect(clock.now() - began).toBeLessThan(35_000);
		expect(error?.message).toBe(`Job ${jobId} was still running after 0.5 minutes`);
	});

	it('is named when no poll has succeeded within Max Wait (Minutes)', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, times: 'always' });

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.1 });

		expect(error).toMatchObject({
			message: `The status of job ${jobId} could not be checked for 0.1 minutes`,
			description: expect.stringContaining(
				'The last error: The service failed to process the request (HTTP 503).',
			),
			context: { jobIds: [jobId] },
		});
	});

	it('is named beside the last known status', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'reset', skip: 1, times: 'always' });

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.1 });

		expect(error?.message).toBe(`Job ${jobId} was still running after 0.1 minutes`);
		expect(error?.description).toContain('The last error: The connection to the service was lost');
	});
});

describe('A 404 during the wait', () => {
	it('is transient within 10 seconds of the start', async () => {
		await service.admin.nextJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 404, times: 2 });

		const { items } = await service.runAgent();

		expect(items[0]?.json.status).toBe('completed');
	});

	it('ends the wait later', async () => {
		await service.admin.nextJob(['running']);
		const notFound: FaultCase = { kind: 'status', status: 404, skip: 1, times: 'always' };
		await service.admin.fault({ endpoint: 'getJob', ...notFound });

		const { error } = await service.runAgent({ options: { pollIntervalSeconds: 6 } });

		const [job] = await service.admin.jobs();
		expect(error?.message).toBe(`Job ${job?.job_id} was not found`);
		expect(await service.requests({ endpoint: 'getJob' })).toHaveLength(2);
	});
});

describe('A permanent error during the wait', () => {
	it.each<[number, (jobId: string) => string]>([
		[401, (jobId) => `Job ${jobId}: The service did not accept the API key`],
		[403, (jobId) => `Job ${jobId}: The API key has no permission for this`],
		[404, (jobId) => `Job ${jobId} was not found`],
		[400, (jobId) => `Job ${jobId}: The service did not accept the request: No`],
	])('ends it at once and names the job: %i', async (status, message) => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			kind: 'status',
			status,
			body: { detail: 'No', status_code: status },
			skip: 1,
		});

		const { error } = await service.waitForJob(jobId);

		expect(error).toMatchObject({
			message: message(jobId),
			httpCode: String(status),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(await service.requests()).toHaveLength(2);
	});

	it('says that a started job continues', async () => {
		await service.admin.nextJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });

		const { error } = await service.runAgent();

		expect(error?.description).toContain('The job continues and uses credits.');
	});
});

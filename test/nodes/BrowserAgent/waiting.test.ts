import type { INodeParameters } from 'n8n-workflow';

import type { JobScript, LoggedRequest } from '../../../dev/sandbox/types';
import { SERVICE_LIMITS, type ServiceLimits } from '../../../nodes/service/documentedValues';
import { captureLog } from '../../support/captureLog';
import { toResult } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, waitRun, type FaultCase } from '../../support/useSandbox';

// These options are the same on all operations that wait; most tests use Job: Wait.
const service = useSandbox();
const { clock } = service;

const ONE_POLL_IN_TEN_MINUTES: ServiceLimits = {
	...SERVICE_LIMITS,
	status: { calls: 1, windowMs: 600_000 },
};

/** The seconds between requests, in the service's time. */
function secondsBetween(requests: LoggedRequest[]): number[] {
	return requests
		.slice(1)
		.map(({ sandboxMs }, index) => (sandboxMs - (requests[index]?.sandboxMs ?? 0)) / 1000);
}

describe('Job: Wait', () => {
	it('polls the job whose ID is in the item through all statuses that are not final, and returns it', async () => {
		const statuses = ['provisioning', 'unknown', 'running', 'paused', 'running', 'completed'];
		const jobId = await service.givenJob({ statuses, output: 'Done' });

		const { items } = await service.run({
			resource: 'job',
			operation: 'wait',
			input: [{ job_id: jobId }],
		});

		const requests = await service.requests();
		expect(requests.map(({ path }) => path)).toEqual(Array(6).fill(`/v1/get_job_status/${jobId}`));
		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: expect.any(Number),
					live_url: expect.stringMatching(/\/live$/),
					history_url: expect.stringContaining('http'),
					duration_seconds: expect.any(Number),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('takes duration_seconds from its own wait when the service sends no times', async () => {
		const omitFields = ['created_at', 'updated_at'];
		const jobId = await service.givenJob({ durationSeconds: 60, omitFields });
		await clock.advance(50_000);

		const { json } = await service.waitForJob(jobId);

		expect(json[0]?.duration_seconds).toBeGreaterThanOrEqual(10);
		expect(json[0]?.duration_seconds).toBeLessThan(12);
	});
});

describe('Max Wait (Minutes)', () => {
	it.each([
		[0.5, '0.5 minutes'],
		[1, '1 minute'],
	])('of %d ends the wait with an error that names the job', async (maxWaitMinutes, time) => {
		const jobId = await service.givenJob(['running']);
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes });

		expect(clock.now() - began).toBe(maxWaitMinutes * 60_000);
		expect(error).toMatchObject({
			message: `Job ${jobId} was still running after ${time}`,
			description: expect.stringContaining(
				"Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. The job keeps running and using credits.",
			),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
	});

	it.each([
		[30, 60],
		[31, 61],
	])(
		'that is not set, with a Max Duration (Minutes) of %i, ends the wait after %i minutes',
		async (...given) => {
			const [maxDurationMinutes, minutes] = given;
			setServiceLimits(ONE_POLL_IN_TEN_MINUTES);
			await service.admin.nextJob(['running']);

			const { error } = await service.runAgent({ browserConfig: { maxDurationMinutes } });

			const { job_id } = await service.onlyJob();
			// There may be no turn for a poll at the deadline.
			expect(error?.message).toMatch(new RegExp(`job ${job_id} .* ${minutes} minutes$`, 'i'));
		},
	);
});

describe('A wait ends at most 5 s after Max Wait (Minutes)', () => {
	const LATEST_END_MS = 35_000;

	it('when a status call hangs', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('getJob', { kind: 'stall', times: 'always' });
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.5 });

		expect(error?.message).toBe(
			`The status of job ${jobId} could not be checked for 0.5 minutes: the service did not respond in time`,
		);
		expect(clock.now() - began).toBeLessThanOrEqual(LATEST_END_MS);
	});

	it('when the request to pause the job hangs', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('pauseJob', { kind: 'stall', times: 'always' });
		const began = clock.now();

		const options = { maxWaitMinutes: 0.5, pauseJob: 'onEarlyEnd' };
		const { error } = await service.waitForJob(jobId, options);

		expect(error?.description).toContain('The job is being paused.');
		expect(clock.now() - began).toBeLessThanOrEqual(LATEST_END_MS);
	});
});

describe("When the machine's clock is set during a wait", () => {
	const HOUR_MS = 3_600_000;

	it.each([
		['two hours forward', 2 * HOUR_MS],
		['a day back', -24 * HOUR_MS],
	])('the wait ends after Max Wait (Minutes) all the same: %s', async (_label, ms) => {
		const { clock } = service;
		const jobId = await service.givenJob(['running']);
		clock.hold();
		const began = clock.elapsed();
		const run = waitRun([jobId], { maxWaitMinutes: 10 });
		const ended = service.run(run).then((result) => ({ ...result, at: clock.elapsed() }));
		await clock.advance(120_000);

		clock.setForwardMs = ms;
		await clock.advance(600_000);

		const { error, at } = await ended;
		expect(at - began).toBe(600_000);
		expect(error?.message).toContain(jobId);
		expect(error?.message).toContain('10 minutes');
	});
});

describe("Return Instead of Failing with 'timeout'", () => {
	const TIMED_OUT = { maxWaitMinutes: 0.1, returnInsteadOfFailing: ['timeout'] };

	it('returns the job as it stands', async () => {
		const jobId = await service.givenJob(['provisioning']);

		const { json, status } = await service.waitForJob(jobId, TIMED_OUT);

		expect(status).toBe('success');
		expect(json[0]).toMatchObject({ job_id: jobId, status: 'provisioning', is_finished: false });
	});

	it('fails when no poll has succeeded', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('getJob', 503, { times: 'always' });

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(error?.message).toBe(
			`The status of job ${jobId} could not be checked for 0.1 minutes: the service failed to process the request (HTTP 503)`,
		);
	});
});

describe('A job that', () => {
	it.each<[string, JobScript, string]>([
		['failed', { statuses: ['failed'], error: 'A captcha' }, 'failed: A captcha'],
		['failed without a reason', { statuses: ['failed'], nullFields: ['error'] }, 'failed'],
		['was canceled', { statuses: ['canceled'] }, 'was cancelled'],
	])('%s fails the node with its reason', async (_label, script, words) => {
		const jobId = await service.givenJob(script);
		const others = ['invalidOutput', 'takeover', 'timeout'];

		const { error, status, items } = await service.waitForJob(jobId, {
			returnInsteadOfFailing: others,
		});

		expect(error).toMatchObject({
			message: `Job ${jobId} ${words}`,
			description: expect.stringContaining(
				"choose 'Job Fails or Is Canceled' in the option 'Return Instead of Failing'",
			),
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(status).toBe('error');
		expect(items).toEqual([]);
	});

	it("was cancelled is returned with its reason by 'jobFailure'", async () => {
		const jobId = await service.givenJob({ statuses: ['cancelled'], error: 'For a reason' });

		const { json, status } = await service.waitForJob(jobId, {
			returnInsteadOfFailing: ['jobFailure'],
		});

		expect(status).toBe('success');
		expect(json[0]).toMatchObject({
			status: 'canceled',
			job_error: 'For a reason',
			is_finished: true,
		});
		expect(json[0]).not.toHaveProperty('error');
	});
});

describe('A takeover', () => {
	const TAKEN_OVER = ['running', 'user_taken_over', 'running', 'completed'];
	const LINKS = expect.stringMatching(
		/\. Live view: <a \S+ \S+>http\S+<\/a> History: <a \S+ \S+>http\S+<\/a>$/,
	) as string;

	it('fails the node with the links to the live view and the history', async () => {
		const jobId = await service.givenJob({ statuses: ['user_taken_over'], error: 'By Ann' });
		const others = ['invalidOutput', 'jobFailure', 'timeout'];

		const { error, status } = await service.waitForJob(jobId, { returnInsteadOfFailing: others });

		expect(error).toMatchObject({
			message: `Job ${jobId} was taken over by a user: By Ann`,
			description: LINKS,
		});
		expect(error?.description).toContain("choose 'User Takes Over'");
		expect(error?.description).toContain("turn on the option 'Wait While Taken Over'");
		expect(status).toBe('error');
	});

	it("is returned by 'takeover' as a finished job with its links", async () => {
		const jobId = await service.givenJob(TAKEN_OVER);

		const { json } = await service.waitForJob(jobId, { returnInsteadOfFailing: ['takeover'] });

		expect(json[0]).toMatchObject({
			status: 'user_taken_over',
			is_finished: true,
			live_url: expect.stringContaining('http'),
			history_url: expect.stringContaining('http'),
		});
	});
});

describe('Wait While Taken Over', () => {
	const UNTIL_DEADLINE = { waitWhileTakenOver: true, maxWaitMinutes: 0.2, pauseJob: 'onEarlyEnd' };

	it("waits until the agent continues and the job has finished, whatever 'takeover' says", async () => {
		const jobId = await service.givenJob(['running', 'user_taken_over', 'running', 'completed']);

		const { json } = await service.waitForJob(jobId, {
			waitWhileTakenOver: true,
			returnInsteadOfFailing: ['takeover'],
		});

		expect(json[0]?.status).toBe('completed');
	});

	it('fails with a timeout when the user still has the browser, and pauses nothing', async () => {
		const jobId = await service.givenJob(['user_taken_over']);
		const options = { returnInsteadOfFailing: ['jobFailure', 'invalidOutput'] };

		const { error } = await service.waitForJob(jobId, { ...UNTIL_DEADLINE, ...options });

		expect(error).toMatchObject({
			message: `Job ${jobId} was still taken over by a user after 0.2 minutes`,
			description: expect.stringMatching(
				/The job has not ended, and may be using credits\. Live view: <a .+<\/a> History: <a .+<\/a>$/,
			),
		});
		expect(await service.sent('pauseJob')).toEqual([]);
	});

	it.each([[['takeover']], [['timeout']]])(
		'returns the unfinished job when the user still has the browser, returning %j, and pauses nothing',
		async (returnInsteadOfFailing) => {
			const jobId = await service.givenJob(['user_taken_over']);

			const { json } = await service.waitForJob(jobId, {
				...UNTIL_DEADLINE,
				returnInsteadOfFailing,
				downloadFiles: true,
			});

			expect(json[0]).toMatchObject({ status: 'user_taken_over', is_finished: false });
			expect(json[0]).not.toHaveProperty('files');
			expect(await service.sent('pauseJob')).toEqual([]);
		},
	);
});

describe('Pause Job: When the Wait Ends Early', () => {
	const TIMED_OUT = { maxWaitMinutes: 0.1, pauseJob: 'onEarlyEnd' };
	// The job is polled when the wait begins and when it ends.
	const TIMED_OUT_AFTER_TWO_POLLS = { ...TIMED_OUT, maxWaitMinutes: 0.01 };
	const NOT_PAUSED_SO_FAR =
		"The job could not be paused so far and may still be running. The node keeps trying for five minutes; n8n's log says how it ended.";

	it('pauses the job after Max Wait (Minutes), and says so', async () => {
		const log = captureLog();
		const jobId = await service.givenJob(['running']);

		const { error } = await service.waitForJob(jobId, TIMED_OUT);

		expect(await service.jobStatuses()).toEqual(['paused']);
		expect(error?.description).toContain(
			'The job is paused. Unless it is resumed within 6 hours, the service marks it as failed.',
		);
		expect(log.join()).toContain(`Browser Agent paused job ${jobId} because nothing is waiting`);
	});

	it.each<[string, string, INodeParameters]>([
		['when it is off, as by default', 'running', { maxWaitMinutes: 0.1 }],
		['for a job that is paused already', 'paused', TIMED_OUT],
	])('sends nothing %s', async (_label, status, options) => {
		const jobId = await service.givenJob([status]);

		const { error } = await service.waitForJob(jobId, options);

		expect(await service.sent('pauseJob')).toEqual([]);
		expect(/The job is paused\./.test(String(error?.description))).toBe(status === 'paused');
	});

	it('repeats the request in the background after transient errors', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('pauseJob', 503);
		await service.fault('pauseJob', { kind: 'reset', when: 'after' });

		const { error } = await service.waitForJob(jobId, TIMED_OUT);
		await clock.advance(60_000);

		expect(await service.sent('pauseJob')).toHaveLength(3);
		expect(await service.jobStatuses()).toEqual(['paused']);
		expect(error?.description).toContain(NOT_PAUSED_SO_FAR);
	});

	it('ends with a log line when a refused pause shows that a user has taken over the job', async () => {
		const log = captureLog();
		const jobId = await service.givenJob(['running', 'running', 'user_taken_over']);
		await service.fault('pauseJob', 400, { times: 'always' });

		const { error } = await service.waitForJob(jobId, TIMED_OUT_AFTER_TWO_POLLS);
		await clock.advance(5 * 60_000);

		expect(await service.sent('pauseJob')).toHaveLength(1);
		expect(log.join()).toContain(
			`Browser Agent stopped pausing job ${jobId}: its status is 'user_taken_over'`,
		);
		expect(error?.description).not.toContain(NOT_PAUSED_SO_FAR);
	});

	it('gives up after five minutes', async () => {
		const log = captureLog();
		const jobId = await service.givenJob(['running']);
		await service.fault('pauseJob', 503, { times: 'always' });
		await service.waitForJob(jobId, TIMED_OUT);

		await clock.advance(10 * 60_000);

		const sent = await service.sent('pauseJob');
		const seconds = secondsBetween(sent).reduce((sum, one) => sum + one, 0);
		expect(seconds).toBeGreaterThan(290);
		expect(seconds).toBeLessThanOrEqual(301);
		expect(Math.max(...secondsBetween(sent))).toBeLessThan(38);
		// With equal pauses there would be hundreds.
		expect(sent.length).toBeLessThan(25);
		expect(log.join()).toContain(`gave up pausing job ${jobId}`);
	});

	it.each<[string, string[]]>([
		['fails', []],
		['is returned', ['timeout']],
	])(
		'returns the result of a job that has completed when the service refuses the pause, if a timeout %s',
		async (_label, returnInsteadOfFailing) => {
			const jobId = await service.givenJob(['running', 'running', 'completed']);
			const body = { status: 'error', message: 'The job has ended' };
			await service.fault('pauseJob', { kind: 'body', body });

			const { json } = await service.waitForJob(jobId, {
				...TIMED_OUT_AFTER_TWO_POLLS,
				returnInsteadOfFailing,
			});

			expect(json[0]).toMatchObject({ status: 'completed', is_finished: true });
		},
	);
});

describe('A transient error during the wait', () => {
	// What is transient is tested with `ServiceError`.
	it('is followed by longer and longer pauses', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJob', 503, { times: 4 });

		await service.waitForJob(jobId);

		const pauses = secondsBetween(await service.requests());
		expect(pauses.map(Math.floor)).toEqual([1, 2, 4, 8]);
	});
});

describe('A refused poll', () => {
	const NO_ACCESS: FaultCase = { kind: 'status', status: 403, body: { detail: 'No access' } };
	const PAGE: FaultCase = { kind: 'status', status: 404, contentType: 'text/html', body: '<html>' };
	const HUGE: FaultCase = { kind: 'body', body: { output: 'x'.repeat(6_000_000) } };

	// Which answers are refusals is tested with the kinds of `ServiceError`.
	it.each<[string, FaultCase, string]>([
		['by the service', NO_ACCESS, 'HTTP 403 from the service'],
		['by a page in front of it', PAGE, 'HTTP 404 from something in front of the service'],
		['because the response is too large', HUGE, "the service's response is too large"],
	])('ends the wait when it lasts, and the error says so: %s', async (_label, fault, answer) => {
		await service.admin.nextJob(['running']);
		await service.fault('getJob', fault, { skip: 1, times: 'always' });

		const { error } = await service.runAgent();

		const { job_id } = await service.onlyJob();
		expect(error?.message).toContain(
			`The status of job ${job_id} could not be checked anymore: ${answer}`,
		);
		expect(error?.description).toMatch(/Its status was last seen 6\d seconds ago: 'running'\./);
		expect(error?.description).not.toContain('Base URL');
		expect(error?.description).toContain("Look for the job in the service's list of jobs");
		expect(error?.description).toContain('History: <a href="http');
		expect(await service.sent('getJob')).toHaveLength(8);
	});

	it('does not end the wait when another poll has succeeded in between', async () => {
		const statuses = ['running', 'running', 'completed'];
		await service.admin.nextJob({ statuses });
		await service.fault('getJob', 403, { times: 6 });
		await service.fault('getJob', 403, { skip: 1, times: 6 });

		const { json } = await service.runAgent();

		expect(json[0]?.status).toBe('completed');
		expect(await service.sent('getJob')).toHaveLength(15);
	});

	it('counts on after a transient error', async () => {
		await service.admin.nextJob(['running']);
		await service.fault('getJob', 403, { times: 6 });
		await service.fault('getJob', 503);
		await service.fault('getJob', 403);

		const { error } = await service.runAgent();

		expect(error?.message).toContain('HTTP 403 from the service');
		expect(await service.sent('getJob')).toHaveLength(8);
	});

	it('counts three times at least, however long the polls are apart', async () => {
		setServiceLimits(ONE_POLL_IN_TEN_MINUTES);
		await service.admin.nextJob(['running', 'completed']);
		await service.fault('getJob', 403, { times: 2 });

		const { json } = await service.runAgent();

		expect(json[0]?.status).toBe('completed');
	});
});

describe('A status of error with nothing but an error beside it', () => {
	const BODY = { status: 'error', error: 'The backend is restarting' };

	it('is a refused poll, and the job is waited for', async () => {
		await service.admin.nextJob(['running', 'running', 'completed']);
		await service.fault('getJob', { kind: 'body', body: BODY }, { skip: 1 });

		const { json } = await service.runAgent();

		expect(json).toMatchObject([{ status: 'completed' }]);
	});

	it('ends the wait if it lasts, and the job is paused if the user wants that', async () => {
		await service.admin.nextJob(['running']);
		await service.fault('getJob', { kind: 'body', body: BODY }, { times: 'always' });
		const began = service.clock.now();

		const { error } = await service.runAgent({ options: { pauseJob: 'onEarlyEnd' } });

		const { job_id, pauses } = await service.onlyJob();
		expect(error?.message).toContain(`The status of job ${job_id} could not be checked anymore`);
		expect(error?.description).toContain('The backend is restarting');
		expect(pauses).toBe(1);
		expect(service.clock.now() - began).toBeGreaterThanOrEqual(60_000);
	});
});

describe("A response with another job's ID", () => {
	it('is logged once for each job, and counts all the same', async () => {
		const log = captureLog();
		await service.admin.nextJob(['running', 'running', 'completed']);
		const body = { job_id: 'job_other', status: 'running' };
		await service.fault('getJob', { kind: 'body', body }, { times: 2 });

		const { json } = await service.runAgent();

		const { job_id } = await service.onlyJob();
		expect(json).toMatchObject([{ status: 'completed', job_id }]);
		expect(log.filter((line) => line.includes('job_other'))).toHaveLength(1);
	});
});

describe('A refused poll of a job that the node has neither started nor seen', () => {
	it('ends the wait at once and names the job', async () => {
		const jobId = await service.givenJob(['running']);
		await service.fault('getJob', 401, { body: { detail: 'No' } });

		const { error } = await service.waitForJob(jobId);

		expect(error).toMatchObject({
			message: `Job ${jobId}: The service did not accept the API key`,
			httpCode: '401',
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(error?.description).not.toContain('keeps running');
		expect(await service.requests()).toHaveLength(1);
	});

	it('ends the wait after ten seconds if it is a 404', async () => {
		const began = clock.now();

		const { error } = await service.waitForJob('job_unknown');

		expect(error?.message).toBe('Job job_unknown was not found');
		expect(clock.now() - began).toBeGreaterThanOrEqual(10_000);
		expect(clock.now() - began).toBeLessThan(10_200);
	});

	it('does not end the wait if it is the second 404, however long the first one is ago', async () => {
		setServiceLimits(ONE_POLL_IN_TEN_MINUTES);
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJob', 404, { times: 2 });

		const { json } = await service.waitForJob(jobId);

		expect(json[0]?.status).toBe('completed');
	});

	it('does not end the wait if it is a 404 that lasts for less', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJob', 404, { times: 3 });

		const { json } = await service.waitForJob(jobId);

		expect(json[0]?.status).toBe('completed');
	});
});

describe('A status', () => {
	it('that is unknown is a failure if an error comes with it', async () => {
		const error = 'The browser is gone';
		await service.admin.nextJob({ durationSeconds: 5, outcome: 'timed_out', error });

		const result = await service.runAgent({ options: { maxAttempts: 3 } });

		const { job_id } = await service.onlyJob();
		expect(result.error?.message).toBe(`Job ${job_id} ended as 'timed_out': ${error}`);
	});

	it('completed without an output is read once more after two seconds', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });
		await service.fault('getJob', { kind: 'fields', body: { output: null } });

		const { json } = await service.waitForJob(jobId);

		expect(secondsBetween(await service.requests())).toEqual([2]);
		expect(json[0]?.output).toBe('Done');
	});

	it('completed without an output is not read again after a Stop', async () => {
		clock.hold();
		const jobId = await service.givenJob({ statuses: ['completed'], nullFields: ['output'] });
		const execution = service.start(waitRun([jobId]));
		await service.until(async () => expect(await service.sent('getJob')).toHaveLength(1));

		execution.stop();

		expect((await toResult(execution.finished)).status).toBe('canceled');
		expect(await service.sent('getJob')).toHaveLength(1);
	});

	it('completed without an output is taken as it is when it can not be read again', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], nullFields: ['output'] });
		await service.fault('getJob', 503, { skip: 1, times: 'always' });

		const { json } = await service.waitForJob(jobId);

		expect(json[0]?.status).toBe('completed');
	});
});

import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { UserError } from '../../../nodes/errors/UserError';
import { LedgerEntry } from '../../../nodes/jobs/JobLedger';
import type { WaitResult, WaitTimes } from '../../../nodes/jobs/waitForJob';
import {
	isFailure,
	waitOutcome,
	type JobOutcome,
	type OutcomeOptions,
} from '../../../nodes/jobs/waitOutcome';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import type { Job } from '../../../nodes/service/types';
import { aJob } from '../../support/aJob';
import { captureLogger } from '../../support/captureLogger';
import { fakeClock } from '../../support/fakeClock';

const START_MS = 1_000_000;
const MINUTE_MS = 60_000;
const OPTIONS: OutcomeOptions = {
	maxWaitMs: 30 * MINUTE_MS,
	onPaused: 'wait',
	onTakenOver: 'fail',
	onTimeout: 'fail',
	onUnsuccessful: 'fail',
};
const LINKS = { live_url: 'https://a.example/live', history_url: 'https://a.example/history' };
const LIVE_LINK = ' Its live view: https://a.example/live';
const HISTORY_LINK = ' Its history: https://a.example/history';
const CONTINUES = 'The job continues and uses credits.';

interface Setup {
	/** Default false. */
	pausesWhenAbandoned?: boolean;
	/** What a request to pause comes to, and after how long. */
	pause?: { error?: Error; afterMs?: number };
	/** The job as the service shows it after a pause. */
}

/** A watched job, and what becomes of it at the end of its wait. */
function setUp({ pausesWhenAbandoned = false, pause = {} }: Setup = {}) {
	const clock = fakeClock(START_MS);
	const { logger } = captureLogger();
	const client = {
		toPlainText: (text: string, maxCharacters = 500) =>
			text.replaceAll('secret', '[hidden]').slice(0, maxCharacters),
		async pauseJob() {
			await clock.sleep(pause.afterMs ?? 0);
			if (pause.error !== undefined) throw pause.error;
		},
		getJob: jest.fn(async () => {
			return aJob();
		}),
	};
	const entry = new LedgerEntry(clock);
	entry.watch('job_1');
	entry.client = client as unknown as ServiceClient;
	entry.policy = { onStop: false, whenAbandoned: pausesWhenAbandoned };

	const stop = new AbortController();
	const outcomeOf = async (
		result: WaitResult,
		options: Partial<OutcomeOptions> = {},
		times: Partial<WaitTimes> = {},
	): Promise<JobOutcome> => {
		const wait = { jobId: 'job_1', waitBegan: START_MS, deadline: START_MS, ...times };
		const context = {
			clock,
			logger,
			client: entry.client as ServiceClient,
			entry,
			signal: stop.signal,
		};
		return await waitOutcome(context, wait, { ...OPTIONS, ...options }, result);
	};
	const errorOf = async (
		result: WaitResult,
		options: Partial<OutcomeOptions> = {},
	): Promise<UserError> => {
		const error = await outcomeOf(result, options).catch((thrown: unknown) => thrown);
		if (error instanceof UserError) return error;
		throw new Error(`Not a UserError: ${String(error)}`);
	};
	return { clock, client, entry, stop, outcomeOf, errorOf };
}

function failure(kind: ServiceErrorKind, statusCode?: number): ServiceError {
	return new ServiceError({ kind, statusCode });
}

function ended(job: Partial<Job>): WaitResult {
	return { reason: 'status', job: aJob(job) };
}

describe('isFailure', () => {
	it.each<[boolean, WaitResult, Partial<OutcomeOptions>]>([
		[false, ended({ status: 'completed' }), {}],
		[false, ended({ status: 'paused' }), {}],
		[true, ended({ status: 'failed' }), {}],
		[true, ended({ status: 'canceled' }), {}],
		[true, ended({ status: 'user_taken_over' }), {}],
		[false, ended({ status: 'user_taken_over' }), { onUnsuccessful: 'return' }],
		[false, ended({ status: 'user_taken_over' }), { onTakenOver: 'return' }],
		[true, ended({ status: 'failed' }), { onTakenOver: 'return' }],
		[false, ended({ status: 'failed' }), { onUnsuccessful: 'return' }],
		[true, { reason: 'status' }, { onUnsuccessful: 'return' }],
		[true, { reason: 'deadline', job: aJob() }, {}],
		[false, { reason: 'deadline', job: aJob() }, { onTimeout: 'return' }],
		[true, { reason: 'deadline' }, { onTimeout: 'return' }],
		[true, { reason: 'error', job: aJob() }, { onTimeout: 'return', onUnsuccessful: 'return' }],
		[
			true,
			{ reason: 'lowCredits', job: aJob() },
			{ onTimeout: 'return', onUnsuccessful: 'return' },
		],
		[true, { reason: 'aborted', job: aJob({ status: 'completed' }) }, { onTimeout: 'return' }],
	])('is %s for %j with %j', (expected, result, options) => {
		expect(isFailure(result, { ...OPTIONS, ...options })).toBe(expected);
	});
});

describe('waitOutcome of a status that ends the wait', () => {
	it.each<[string, Partial<OutcomeOptions>, LedgerEntry['state']]>([
		['completed', {}, 'finished'],
		['failed', { onUnsuccessful: 'return' }, 'finished'],
		['user_taken_over', { onUnsuccessful: 'return' }, 'finished'],
		['user_taken_over', { onTakenOver: 'return' }, 'finished'],
		['paused', { onPaused: 'return' }, 'running'],
	])("returns the job that is '%s' with %j, and enters it", async (status, options, state) => {
		const { outcomeOf, entry } = setUp();

		const { job } = await outcomeOf(ended({ status }), options);

		expect(job).toMatchObject({ job_id: 'job_1', status });
		expect(entry).toMatchObject({ state, job });
	});

	it.each<[string, Partial<Job>, string]>([
		['failed', { error: 'A captcha' }, 'Job job_1 failed: A captcha'],
		['failed', {}, 'Job job_1 failed'],
		['failed', { error: '' }, 'Job job_1 failed'],
		['failed', { error: { code: 7 } }, 'Job job_1 failed: {"code":7}'],
		['failed', { error: 'The secret is out' }, 'Job job_1 failed: The [hidden] is out'],
		['canceled', {}, 'Job job_1 was cancelled'],
	])("throws that the job is '%s' with %j", async (status, fields, message) => {
		const { errorOf, entry } = setUp();

		const error = await errorOf(ended({ status, ...fields }));

		expect(error.message).toBe(message);
		expect(error.details).toEqual({
			description:
				"Check what the agent did, and change 'Directive' or the options. To get such jobs as items, set 'On Job Failure' to 'Return'.",
			jobIds: ['job_1'],
		});
		expect(entry).toMatchObject({ state: 'failed', error });
	});

	it('throws that a user took over the job, and what can be done then', async () => {
		const { errorOf } = setUp();

		const error = await errorOf(ended({ status: 'user_taken_over' }));

		expect(error.message).toBe('Job job_1 was taken over by a user');
		expect(error.details.description).toBe(
			"To get such jobs as items, or to wait until the agent continues, set 'On Taken Over'.",
		);
	});

	it.each<[string, Partial<Job>, string]>([
		['user_taken_over', LINKS, LIVE_LINK + HISTORY_LINK],
		['failed', LINKS, HISTORY_LINK],
		['canceled', LINKS, HISTORY_LINK],
		[
			'failed',
			{ history_url: 'https://a.example/secret' },
			' Its history: https://a.example/[hidden]',
		],
		['failed', { history_url: 'javascript:alert(1)' }, ''],
		['failed', { history_url: 'https://a.example/ Call +1 900' }, ''],
	])(
		"of a job that is '%s' with %j, shows where a person can see it",
		async (status, links, end) => {
			const { errorOf } = setUp();

			const { details } = await errorOf(ended({ status, ...links }));

			expect(details.description?.split(/'\./).at(-1)).toBe(end);
		},
	);

	it("takes the links of the start's response when the status has none", async () => {
		const { outcomeOf, entry } = setUp();
		entry.noteStarted({ job_id: 'job_1', live_url: 'live', history_url: 'history', body: {} });

		const { job } = await outcomeOf(ended({ status: 'completed', live_url: 'newer live' }));

		expect(job).toMatchObject({ live_url: 'newer live', history_url: 'history' });
	});

	it('has no links when neither response contains any', async () => {
		const { outcomeOf } = setUp();

		const { job } = await outcomeOf(ended({ status: 'completed' }));

		expect([job.live_url, job.history_url]).toEqual([undefined, undefined]);
	});
});

describe('waitOutcome at the deadline', () => {
	const atDeadline: WaitResult = { reason: 'deadline', job: aJob() };

	it('throws that the job was still running, and what becomes of it', async () => {
		const { errorOf, entry } = setUp();

		const error = await errorOf(atDeadline);

		expect(error.message).toBe('Job job_1 was still running after 30 minutes');
		expect(error.details).toEqual({
			description: `Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. ${CONTINUES}`,
			jobIds: ['job_1'],
		});
		expect(entry.state).toBe('running');
	});

	it.each(['running', 'paused', 'user_taken_over'])(
		"shows where a person can act on a job that is '%s'",
		async (status) => {
			const { errorOf } = setUp();

			const { details } = await errorOf({ ...atDeadline, job: aJob({ status, ...LINKS }) });

			expect(details.description).toMatch(new RegExp(`${LIVE_LINK}${HISTORY_LINK}$`));
		},
	);

	it("shows the links of the start's response when no poll has succeeded", async () => {
		const { errorOf, entry } = setUp();
		entry.noteStarted({ job_id: 'job_1', ...LINKS, body: {} });

		const { details } = await errorOf({ reason: 'deadline' });

		expect(details.description).toMatch(new RegExp(`${LIVE_LINK}${HISTORY_LINK}$`));
	});

	it('does not take a job that a user took over, and that is waited for, for finished', async () => {
		const { outcomeOf, entry } = setUp();
		const job = aJob({ status: 'user_taken_over' });

		await outcomeOf({ ...atDeadline, job }, { onTakenOver: 'wait', onTimeout: 'return' });

		expect(entry.state).toBe('running');
	});

	it.each([
		[MINUTE_MS, '1 minute'],
		[1.5 * MINUTE_MS, '1.5 minutes'],
		[20_000, '0.33 minutes'],
		[120 * MINUTE_MS, '120 minutes'],
	])('names a time of %i ms as %s', async (maxWaitMs, time) => {
		const { errorOf } = setUp();

		const { message } = await errorOf(atDeadline, { maxWaitMs });

		expect(message).toBe(`Job job_1 was still running after ${time}`);
	});

	it('redacts and cuts a status that it does not know', async () => {
		const { errorOf } = setUp();
		const job = aJob({ status: `secret ${'x'.repeat(100)}` });

		const { message } = await errorOf({ reason: 'deadline', job });

		expect(message).toBe(`Job job_1 was still [hidden] ${'x'.repeat(71)} after 30 minutes`);
	});

	it('throws that the status could not be checked when no poll succeeded', async () => {
		const { errorOf } = setUp();

		const error = await errorOf({ reason: 'deadline' }, { onTimeout: 'return' });

		expect(error.message).toBe('The status of job job_1 could not be checked for 30 minutes');
		expect(error.details.jobIds).toEqual(['job_1']);
	});

	it.each<[string, unknown, string]>([
		[
			'of the service',
			failure('serverError', 503),
			' The last error: The service failed to process the request (HTTP 503).',
		],
		['that is not of the service', new Error('no memory'), ''],
	])('names the last error %s', async (_label, error, sentence) => {
		const { errorOf } = setUp();

		const { details } = await errorOf({ ...atDeadline, error });

		expect(details.description).toBe(
			`Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. ${CONTINUES}${sentence}`,
		);
	});

	it('returns the job as last seen when that is wanted', async () => {
		const { outcomeOf, entry, client } = setUp();

		const { job } = await outcomeOf(atDeadline, { onTimeout: 'return' });

		expect(job.status).toBe('running');
		expect(entry).toMatchObject({ state: 'running', job });
		expect(client.getJob).not.toHaveBeenCalled();
	});

	it('pauses the job and returns it as paused, without another poll', async () => {
		const { outcomeOf, entry, client } = setUp({ pausesWhenAbandoned: true });

		const { job } = await outcomeOf(atDeadline, { onTimeout: 'return' });

		expect(job.status).toBe('paused');
		expect(entry.state).toBe('paused');
		expect(client.getJob).not.toHaveBeenCalled();
	});

	it.each<[string, Setup, Job, string]>([
		[
			'was paused',
			{ pausesWhenAbandoned: true },
			aJob(),
			'The job was paused. The service fails a job that is paused for 6 hours.',
		],
		[
			'could not be paused',
			{ pausesWhenAbandoned: true, pause: { error: failure('forbidden') } },
			aJob(),
			'The job could not be paused: it may continue and use credits.',
		],
		[
			'is being paused when that takes longer than 5 s',
			{ pausesWhenAbandoned: true, pause: { afterMs: 5_001 } },
			aJob(),
			'The job is being paused.',
		],
		[
			'is paused already',
			{ pausesWhenAbandoned: true },
			aJob({ status: 'paused' }),
			'The job is paused. The service fails a job that is paused for 6 hours.',
		],
	])('says that the job %s', async (_label, setup, job, sentence) => {
		const { errorOf } = setUp(setup);

		const { details } = await errorOf({ reason: 'deadline', job });

		expect(details.description).toBe(
			`Raise 'Max Wait (Minutes)', or get the result later with Job: Wait. ${sentence}`,
		);
	});

	it('does not pause a job that is paused already', async () => {
		const { errorOf, entry } = setUp({ pausesWhenAbandoned: true });

		await errorOf({ reason: 'deadline', job: aJob({ status: 'paused' }) });

		expect(entry.pausing).toBeUndefined();
	});

	it('does not pause a job that another run waits for', async () => {
		const { errorOf, entry } = setUp({ pausesWhenAbandoned: true });
		entry.users.add(new AbortController().signal);

		const { details } = await errorOf({ reason: 'deadline', job: aJob() });

		expect(details.description).toContain(CONTINUES);
		expect(entry.pausing).toBeUndefined();
	});

	it('waits 5 s at most for the pause', async () => {
		const { errorOf, clock } = setUp({ pausesWhenAbandoned: true, pause: { afterMs: 60_000 } });

		await errorOf(atDeadline);

		expect(clock.now()).toBe(START_MS + 5_000);
	});

	it('does not wait for the pause after a Stop', async () => {
		const { errorOf, clock, stop } = setUp({
			pausesWhenAbandoned: true,
			pause: { afterMs: 60_000 },
		});
		void clock.sleep(300).then(() => stop.abort());

		const { details } = await errorOf(atDeadline);

		expect(clock.now()).toBe(START_MS + 300);
		expect(details.description).toContain('The job is being paused.');
	});
});

describe('waitOutcome of an error', () => {
	it.each<[string, Error, string, string]>([
		[
			'a job that was not found',
			failure('notFound', 404),
			'Job job_1 was not found',
			'Check the ID, and that the API key belongs to the same account.',
		],
		[
			'a key without permission',
			failure('forbidden', 403),
			'Job job_1: The API key has no permission for this',
			`Use a key with the permission, or ask the owner of the account. ${CONTINUES}`,
		],
		['an error that is not of the service', new Error('no memory'), 'no memory', CONTINUES],
	])('throws for %s', async (_label, cause, message, description) => {
		const { errorOf } = setUp();

		const error = await errorOf({ reason: 'error', job: aJob(), error: cause });

		expect(error.message).toBe(message);
		expect(error.details).toMatchObject({ description, jobIds: ['job_1'] });
	});

	it('keeps what else is known of the error', async () => {
		const { errorOf } = setUp();

		const { details } = await errorOf({ reason: 'error', error: failure('unauthorized', 401) });

		expect(details).toMatchObject({
			statusCode: 401,
			failure: { cause: 'credential-invalid' },
		});
	});

	it('pauses the job when that is wanted', async () => {
		const { errorOf, entry } = setUp({ pausesWhenAbandoned: true });

		const { details } = await errorOf({ reason: 'error', error: new Error('no memory') });

		expect(entry.state).toBe('paused');
		expect(details.description).toMatch(/^The job was paused\./);
	});
});

describe('waitOutcome of an aborted wait', () => {
	it('throws that the node stopped waiting, and leaves the job alone', async () => {
		const { errorOf, entry } = setUp({ pausesWhenAbandoned: true });

		const error = await errorOf({ reason: 'aborted', job: aJob() });

		expect(error.message).toBe('Execution canceled: the node stopped waiting for job job_1');
		expect(error.details.isStop).toBe(true);
		expect(entry.state).toBe('running');
	});
});

describe('waitOutcome measures a duration', () => {
	it.each<[string, Partial<Job>, Partial<WaitTimes>, number]>([
		['from the start', {}, { startedAt: START_MS - 2_000 }, 12],
		['from the beginning of the wait if the start is unknown', {}, {}, 10],
		[
			"by the service's own times",
			{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:09.96Z' },
			{},
			10,
		],
		[
			"by the service's own times of a job that was started before the wait",
			{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T01:00:00Z' },
			{},
			3_600,
		],
		[
			"by the service's own times up to what was observed",
			{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:12Z' },
			{ startedAt: START_MS - 2_000 },
			12,
		],
		[
			"by what was observed if the service's own times are longer",
			{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:13Z' },
			{ startedAt: START_MS - 2_000 },
			12,
		],
		[
			"by what was observed if the service's own times are equal",
			{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
			{},
			10,
		],
		[
			"by what was observed if one of the service's own times is missing",
			{ created_at: '2026-01-01T00:00:00Z' },
			{},
			10,
		],
	])('%s', async (_label, fields, times, expected) => {
		const { outcomeOf, clock } = setUp();
		await clock.advance(10_000);

		const { durationSeconds } = await outcomeOf(
			ended({ status: 'completed', ...fields }),
			{},
			times,
		);

		expect(durationSeconds).toBe(expected);
	});

	it('in tenths of a second', async () => {
		const { outcomeOf, clock } = setUp();
		await clock.advance(1_260);

		const { durationSeconds } = await outcomeOf(ended({ status: 'completed' }));

		expect(durationSeconds).toBe(1.3);
	});
});

import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import type { PollScheduler } from '../../../nodes/jobs/PollScheduler';
import type { WaitingJob } from '../../../nodes/jobs/WaitingJob';
import {
	endsWait,
	isTransient,
	waitForJob,
	type JobWait,
	type WaitOptions,
} from '../../../nodes/jobs/waitForJob';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import type { Job } from '../../../nodes/service/types';
import { aJob } from '../../support/aJob';
import { fakeClock } from '../../support/fakeClock';

const START_MS = 1_000_000;
const OPTIONS: WaitOptions = { maxWaitMs: 60_000, onPaused: 'wait', onTakenOver: 'fail' };
const PERMIT = { release: () => {}, cancel: () => {} };

/** Begins a wait whose polls are left to the test: it plays the scheduler. */
function beginWait(wait: Partial<JobWait> = {}, options: Partial<WaitOptions> = {}) {
	const clock = fakeClock(START_MS);
	const young = new Set<string>();
	const client = {
		getJob: jest.fn(async (): Promise<Job> => aJob()),
		account: { mayBeUnknownYet: (jobId: string) => young.has(jobId) },
	};
	let added: WaitingJob | undefined;
	const scheduler = { add: (job: WaitingJob) => void (added = job) };
	const result = waitForJob(
		{
			clock,
			client: client as unknown as ServiceClient,
			scheduler: scheduler as unknown as PollScheduler,
		},
		{
			jobId: 'job_1',
			waitBegan: START_MS,
			deadline: START_MS + 60_000,
			signal: new AbortController().signal,
			...wait,
		},
		{ ...OPTIONS, ...options },
	);
	if (added === undefined) throw new Error('Nothing was added to the scheduler');
	const waiting = added;
	/** A poll shows the job like this, or fails; returns what the scheduler is told. */
	const poll = async (outcome: Job | ServiceError) => {
		const isError = outcome instanceof ServiceError;
		client.getJob.mockImplementationOnce(async () => {
			if (isError) throw outcome;
			return outcome;
		});
		return await waiting.poll(PERMIT);
	};
	return { clock, client, young, result, waiting, poll };
}

function failure(kind: ServiceErrorKind, retryAfterMs?: number): ServiceError {
	return new ServiceError({ kind, retryAfterMs });
}

describe('waitForJob', () => {
	it('has the job polled for as long as it is waited for', () => {
		const startedAt = START_MS - 1_000;

		const { waiting } = beginWait({ startedAt });

		const deadline = START_MS + 60_000;
		expect(waiting).toMatchObject({ startedAt, waitBegan: START_MS, deadline, minIntervalMs: 0 });
	});

	it("has it polled at the user's interval at most", () => {
		const { waiting } = beginWait({}, { pollIntervalMs: 7_000 });

		expect(waiting.minIntervalMs).toBe(7_000);
	});

	it.each([
		['until the deadline', 0, START_MS + 60_000],
		['from now on when the deadline has passed', 61_000, START_MS + 61_000],
	])('polls with the permit of the scheduler, %s', async (_label, passedMs, deadline) => {
		const { waiting, client, clock } = beginWait();
		if (passedMs > 0) await clock.advance(passedMs);

		await waiting.poll(PERMIT);

		const { signal } = waiting;
		expect(client.getJob.mock.calls).toEqual([['job_1', { permit: PERMIT, signal, deadline }]]);
	});

	it('ends with the job when its status ends the wait', async () => {
		const { poll, result } = beginWait();

		const pausesMs = [await poll(aJob()), await poll(aJob({ status: 'completed' }))];

		expect(pausesMs).toEqual([0, undefined]);
		expect(await result).toEqual({ reason: 'status', job: aJob({ status: 'completed' }) });
	});

	it.each(['deadline', 'aborted'] as const)(
		"ends with the job as last seen when the scheduler ends it: '%s'",
		async (reason) => {
			const { waiting, poll, result } = beginWait({ signal: AbortSignal.abort() });
			await poll(aJob({ status: 'paused' }));

			waiting.end(reason);

			expect(await result).toEqual({ reason, job: aJob({ status: 'paused' }) });
		},
	);

	it('ends with the last error when no poll succeeded after it', async () => {
		const { waiting, poll, result } = beginWait();
		const error = failure('timeout');
		await poll(aJob());
		await poll(error);

		waiting.end('deadline');

		expect(await result).toEqual({ reason: 'deadline', job: aJob(), error });
	});

	it('ends without an error when a poll succeeded after it', async () => {
		const { waiting, poll, result } = beginWait();
		await poll(failure('timeout'));
		await poll(aJob());

		waiting.end('deadline');

		expect(await result).toEqual({ reason: 'deadline', job: aJob(), error: undefined });
	});

	it('ends at a lasting error, with the job as last seen', async () => {
		const { poll, result } = beginWait();
		const error = failure('notFound');
		await poll(aJob());

		const pauseMs = await poll(error);

		expect(pauseMs).toBeUndefined();
		expect(await result).toEqual({ reason: 'error', job: aJob(), error });
	});

	it('backs off after transient errors, twice as long each time and for 30 s at most', async () => {
		const { poll } = beginWait();

		const pausesMs: unknown[] = [];
		for (let errors = 1; errors <= 7; errors++) pausesMs.push(await poll(failure('serverError')));

		expect(pausesMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
	});

	it('backs off from the start after a poll that succeeded', async () => {
		const { poll } = beginWait();
		await poll(failure('serverError'));
		await poll(failure('serverError'));
		await poll(aJob());

		expect(await poll(failure('serverError'))).toBe(1_000);
	});

	it.each([
		['longer than its own backoff', 7_000, 7_000],
		['shorter than its own backoff', 200, 1_000],
		['none', 0, 1_000],
		['longer than its longest backoff', 90_000, 90_000],
	])('waits for the pause that the service asks for: %s', async (_label, retryAfterMs, pauseMs) => {
		const { poll } = beginWait();

		expect(await poll(failure('rateLimited', retryAfterMs))).toBe(pauseMs);
	});

	it('backs off after an error that is transient only for a job this young', async () => {
		const { poll, young } = beginWait();
		young.add('job_1');

		expect(await poll(failure('notFound'))).toBe(1_000);
	});

	it('ends its polls with the execution', () => {
		const stop = new AbortController();
		const { waiting } = beginWait({ signal: stop.signal });

		expect(waiting.signal).toBe(stop.signal);
	});

	it('is suspended when only the suspension ends it', async () => {
		const suspend = new AbortController();
		const { waiting, poll, result } = beginWait({ suspendSignal: suspend.signal });
		await poll(aJob());

		suspend.abort();
		const isPollEnded = waiting.signal.aborted;
		waiting.end('aborted');

		expect(isPollEnded).toBe(true);
		expect(await result).toEqual({ reason: 'suspended', job: aJob() });
	});

	it('is aborted when the execution is stopped as well', async () => {
		const stop = new AbortController();
		const suspend = new AbortController();
		const { waiting, result } = beginWait({
			signal: stop.signal,
			suspendSignal: suspend.signal,
		});

		stop.abort();
		suspend.abort();
		const isPollEnded = waiting.signal.aborted;
		waiting.end('aborted');

		expect(isPollEnded).toBe(true);
		expect(await result).toMatchObject({ reason: 'aborted' });
	});

	it('is over at the deadline although a suspension comes at the same time', async () => {
		const { waiting, result } = beginWait({ suspendSignal: AbortSignal.abort() });

		waiting.end('deadline');

		expect(await result).toMatchObject({ reason: 'deadline' });
	});
});

describe('endsWait', () => {
	it.each<[string, WaitOptions['onPaused'], boolean]>([
		['running', 'wait', false],
		['running', 'return', false],
		['dreaming', 'wait', false],
		['paused', 'wait', false],
		['paused', 'return', true],
		['completed', 'wait', true],
		['failed', 'wait', true],
		['canceled', 'return', true],
	])("of a job that is '%s', with 'On Paused' set to '%s', is %s", (status, onPaused, ends) => {
		expect(endsWait(aJob({ status }) satisfies Job, { ...OPTIONS, onPaused })).toBe(ends);
	});

	it.each<[WaitOptions['onTakenOver'], boolean]>([
		['fail', true],
		['return', true],
		['wait', false],
	])("of a job that a user took over, with 'On Taken Over' set to '%s', is %s", (value, ends) => {
		const job = aJob({ status: 'user_taken_over' });

		expect(endsWait(job, { ...OPTIONS, onTakenOver: value })).toBe(ends);
	});
});

describe('isTransient', () => {
	const client = {
		account: { mayBeUnknownYet: (jobId: string) => jobId === 'job_young' },
	} as unknown as ServiceClient;

	it.each<[string, unknown, string, boolean]>([
		['a transient error', failure('serverError'), 'job_1', true],
		['a 404 of a job that was just started', failure('notFound'), 'job_young', true],
		['a 404 of another job', failure('notFound'), 'job_1', false],
		['a rejected key for a job that was just started', failure('unauthorized'), 'job_young', false],
		['an error that is not of the service', new Error('notFound'), 'job_young', false],
	])('of %s', (_label, error, jobId, expected) => {
		expect(isTransient(error, jobId, client)).toBe(expected);
	});
});

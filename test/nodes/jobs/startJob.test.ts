import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { UserError } from '../../../nodes/errors/UserError';
import { LedgerEntry } from '../../../nodes/jobs/JobLedger';
import { pauseJob } from '../../../nodes/jobs/pauseJob';
import { resumeIfPaused, startJob, type StartContext } from '../../../nodes/jobs/startJob';
import type { CallOptions, ServiceClient } from '../../../nodes/service/ServiceClient';
import type { StartRequest } from '../../../nodes/service/startRequests';
import type { StartedJob } from '../../../nodes/service/types';
import { captureLogger } from '../../support/captureLogger';
import { fakeClock } from '../../support/fakeClock';

const START_MS = 1_000_000;
const HOUR_MS = 60 * 60_000;
const REQUEST: StartRequest = {
	path: '/v1/run_browser_agent',
	body: { directive: 'Buy milk' },
};
const STARTED: StartedJob = { job_id: 'job_1', status: 'running', body: { job_id: 'job_1' } };

/** What comes of one request: a job, or an error; after how long in the queue, and how long on its way. */
interface Answer {
	error?: Error;
	queuedMs?: number;
	afterMs?: number;
}

/** An item without a job, and a service with these answers to its starts; the last one stays. */
function setUp(...answers: Answer[]) {
	const clock = fakeClock(START_MS);
	const { logger, lines } = captureLogger();
	const stop = new AbortController();
	const entry = new LedgerEntry(clock);
	const sent: Array<{ options?: CallOptions; state: string }> = [];

	const start = async (
		_request: StartRequest,
		options?: CallOptions,
		onSending?: () => void,
	): Promise<StartedJob> => {
		const {
			error,
			queuedMs = 0,
			afterMs = 0,
		} = answers.length > 1 ? answers.shift()! : answers[0]!;
		await clock.sleep(queuedMs, options?.signal);
		if (options?.signal?.aborted === true) throw failure('aborted');
		const isSent = !(error instanceof ServiceError) || error.kind !== 'queueTimeout';
		if (isSent) onSending?.();
		sent.push({ options, state: entry.state });
		await clock.sleep(afterMs);
		if (error !== undefined) throw error;
		return STARTED;
	};
	const client = {
		startJob: jest.fn(start),
		resumeJob: jest.fn(async () => ({})),
		hideUrl: () => {},
	};
	const context: StartContext = {
		client: client as unknown as ServiceClient,
		clock,
		logger,
		signal: stop.signal,
		execution: 'execution 7',
		entry,
		requireCredits: jest.fn(async () => {}),
	};
	return { clock, lines, stop, entry, sent, client, context };
}

function failure(kind: ServiceErrorKind, statusCode?: number): ServiceError {
	return new ServiceError({ kind, statusCode });
}

async function errorOf(promise: Promise<unknown>): Promise<UserError> {
	const error = await promise.catch((thrown: unknown) => thrown);
	if (error instanceof UserError) return error;
	throw new Error(`Not a UserError: ${String(error)}`);
}

describe('startJob', () => {
	it('sends the request and enters the job into the ledger', async () => {
		const { context, client, entry } = setUp({ afterMs: 3_000 });

		const started = await startJob(context, { request: REQUEST });

		const { signal } = context;
		const options = { signal, execution: 'execution 7', deadline: undefined };
		expect(client.startJob.mock.calls).toEqual([[REQUEST, options, expect.any(Function)]]);
		expect(started).toEqual({ ...STARTED, startedAt: START_MS + 3_000 });
		expect(entry).toMatchObject({ state: 'running', jobId: 'job_1', started });
	});

	it("enters the start as 'sending' before it is sent", async () => {
		const { context, sent } = setUp({});

		await startJob(context, { request: REQUEST });

		expect(sent).toMatchObject([{ state: 'sending' }]);
	});

	it('notes how long the start has waited for its turn', async () => {
		const { context, entry } = setUp({ queuedMs: 12_000, afterMs: 1_000 });

		await startJob(context, { request: REQUEST });

		expect(entry).toMatchObject({ queuedAt: START_MS, queuedMs: 12_000 });
	});

	it('sends nothing when the account has too few credits', async () => {
		const { context, client, entry } = setUp({});
		const tooFew = new UserError('Too few credits');
		context.requireCredits = async () => await Promise.reject(tooFew);

		await expect(startJob(context, { request: REQUEST })).rejects.toBe(tooFew);
		expect(client.startJob).not.toHaveBeenCalled();
		expect(entry.state).toBe('none');
	});

	describe('after a 429', () => {
		const REJECTED = { error: failure('rateLimited', 429), afterMs: 1_000 };

		it('sends the request again until it is accepted', async () => {
			const { context, client, lines } = setUp(REJECTED, REJECTED, {});

			const started = await startJob(context, { request: REQUEST });

			const line = 'debug: Browser Agent waits to start a job: the start limit is exceeded';
			expect(started.job_id).toBe('job_1');
			expect(client.startJob).toHaveBeenCalledTimes(3);
			expect(lines).toEqual([line, line]);
		});

		it.each<[string, number | undefined, number]>([
			['for the time that is given', 60_000, 60_000],
			['for an hour if none is given', undefined, HOUR_MS],
		])('waits for its turn again %s, counted from the first 429', async (_label, given, ms) => {
			const { context, sent } = setUp(REJECTED, REJECTED, {});

			await startJob(context, { request: REQUEST, maxWaitMs: given });

			const deadline = START_MS + 1_000 + ms;
			expect(sent.map(({ options }) => options?.deadline)).toEqual([undefined, deadline, deadline]);
		});

		it.each([
			['sends the request once more before the deadline', 8_999, 3],
			['does not send the request at the deadline', 9_000, 2],
		])('%s', async (_label, afterMs, requests) => {
			const { context, client } = setUp(REJECTED, { ...REJECTED, afterMs }, REJECTED);

			const error = await errorOf(startJob(context, { request: REQUEST, maxWaitMs: 9_000 }));

			expect(error.message).toBe('Rate limit exceeded for this account');
			expect(client.startJob).toHaveBeenCalledTimes(requests);
		});

		it('fails with the 429 when the next turn does not come in time', async () => {
			const { context, entry } = setUp(REJECTED, { error: failure('queueTimeout') });

			const error = await errorOf(startJob(context, { request: REQUEST, maxWaitMs: 60_000 }));

			expect(error.message).toBe('Rate limit exceeded for this account');
			expect(entry.state).toBe('none');
		});
	});

	it.each<[ServiceErrorKind, string]>([
		['insufficientCredits', 'The account has too few credits to start a job'],
		['invalid', 'The service did not accept the request'],
		['notFound', 'Workflow wf_1 was not found'],
		['queueTimeout', "The request could not be sent in time within the account's rate limit"],
	])(
		'may be tried again after a start that was certainly not processed: %s',
		async (kind, words) => {
			const { context, client, entry } = setUp({ error: failure(kind) }, {});
			const start = { request: REQUEST, subject: 'workflow wf_1' };

			const error = await errorOf(startJob(context, start));
			const stateAfterwards = entry.state;
			await startJob(context, start);

			expect(error.message).toBe(words);
			expect(stateAfterwards).toBe('none');
			expect(client.startJob).toHaveBeenCalledTimes(2);
		},
	);

	it.each<[string, Error, string]>([
		[
			'an error of the service',
			failure('serverError', 500),
			'It is unclear whether a job was started; a job may be running. The service failed to process the request (HTTP 500)',
		],
		[
			'a timeout',
			failure('timeout'),
			'It is unclear whether a job was started; a job may be running. The service did not respond in time',
		],
		[
			'an error that is not of the service',
			new Error('no memory'),
			'It is unclear whether a job was started; a job may be running. no memory',
		],
	])('says that a start is unclear after %s', async (_label, cause, message) => {
		const { context, entry, lines } = setUp({ error: cause });

		const error = await errorOf(startJob(context, { request: REQUEST }));

		expect(error.message).toBe(message);
		expect(error.details).toEqual({
			description:
				"A job may be running and using credits. Look for it in the service's web platform before you run this again. It is not started a second time in this execution.",
			statusCode: cause instanceof ServiceError ? cause.facts.statusCode : undefined,
		});
		expect(entry.state).toBe('unclear');
		expect(entry.error).toBe(error);
		expect(lines).toEqual([
			`warn: Browser Agent: it is unclear whether a job was started: ${cause.message}`,
		]);
	});

	it('sends nothing in a further try after an unclear start', async () => {
		const { context, client } = setUp({ error: failure('timeout') });
		await errorOf(startJob(context, { request: REQUEST }));

		const error = await errorOf(startJob(context, { request: REQUEST }));

		expect(error.message).toBe('Not started again: an earlier try may have started a job already');
		expect(error.details.description).toBe(
			"The first try got no usable response from the service, so a job may be running and using credits. Look for it in the service's web platform, then run the workflow again.",
		);
		expect(client.startJob).toHaveBeenCalledTimes(1);
	});

	it('continues with the job of an earlier try, without asking for credits', async () => {
		const { context, client, entry, lines } = setUp({});
		const earlier = entry.noteStarted(STARTED);

		const started = await startJob(context, { request: REQUEST });

		expect(started).toBe(earlier);
		expect(client.startJob).not.toHaveBeenCalled();
		expect(context.requireCredits).not.toHaveBeenCalled();
		expect(lines).toEqual(['info: Browser Agent continues with job job_1 of an earlier try']);
	});

	it('resumes the job of an earlier try that the node has paused', async () => {
		const { context, client, entry } = setUp({});
		entry.noteStarted(STARTED);
		entry.client = context.client;
		await pauseJob(context, entry);

		await startJob(context, { request: REQUEST });

		expect(client.resumeJob).toHaveBeenCalledTimes(1);
		expect(entry.state).toBe('running');
	});

	it.each<[string, Answer, string | undefined, number]>([
		['continues with its job', { afterMs: 5_000 }, undefined, 1],
		[
			'starts a job if it was rejected',
			{ afterMs: 5_000, error: failure('insufficientCredits') },
			undefined,
			2,
		],
		[
			'throws if it is unclear',
			{ afterMs: 5_000, error: failure('timeout') },
			'Not started again: an earlier try may have started a job already',
			1,
		],
	])('waits for the start of an earlier try, and %s', async (_label, answer, message, requests) => {
		const { context, client, clock } = setUp(answer, {});
		const earlier = startJob(context, { request: REQUEST }).catch(() => {});
		await clock.advance(1_000);

		const outcome = await startJob(context, { request: REQUEST }).catch((error: Error) => error);

		expect(outcome).toMatchObject(message === undefined ? { job_id: 'job_1' } : { message });
		expect(client.startJob).toHaveBeenCalledTimes(requests);
		await earlier;
	});

	describe('when the execution is stopped', () => {
		it('sends nothing after the Stop', async () => {
			const { context, client, stop } = setUp({});
			stop.abort();

			const error = await errorOf(startJob(context, { request: REQUEST }));

			expect(error.message).toBe('Execution canceled: no job was started');
			expect(error.details.isStop).toBe(true);
			expect(context.requireCredits).not.toHaveBeenCalled();
			expect(client.startJob).not.toHaveBeenCalled();
		});

		it('ends at once while the start waits for its turn', async () => {
			const { context, sent, stop, clock, entry } = setUp({ queuedMs: 60_000 });
			const starting = errorOf(startJob(context, { request: REQUEST }));
			await clock.advance(1_000);

			stop.abort();
			const error = await starting;

			expect(error.message).toBe('Execution canceled: no job was started');
			expect(clock.now()).toBe(START_MS + 1_000);
			expect(sent).toEqual([]);
			expect(entry.state).toBe('none');
		});

		it('ends at once while the start is on its way, and still enters its job', async () => {
			const { context, stop, clock, entry } = setUp({ afterMs: 20_000 });
			const starting = errorOf(startJob(context, { request: REQUEST }));
			await clock.advance(1_000);

			stop.abort();
			const error = await starting;
			const endedAt = clock.now();
			await entry.settled();

			expect(error.message).toBe('Execution canceled: the start of a job was not answered in time');
			expect(endedAt).toBe(START_MS + 1_000);
			expect(entry).toMatchObject({ state: 'running', jobId: 'job_1' });
		});

		it('ends at once while it waits for the start of an earlier try', async () => {
			const { context, stop, clock } = setUp({ afterMs: 20_000 });
			const earlier = startJob(
				{ ...context, signal: new AbortController().signal },
				{ request: REQUEST },
			);
			await clock.advance(1_000);
			const starting = errorOf(startJob(context, { request: REQUEST }));

			stop.abort();
			const error = await starting;

			expect(error.message).toBe('Execution canceled: no job was started');
			expect(clock.now()).toBe(START_MS + 1_000);
			await earlier;
		});
	});
});

describe('resumeIfPaused', () => {
	/** A job that the node has paused, and a service whose answer to a resume is this error, if any. */
	function setUpPaused(error?: Error) {
		const { context, client, entry, lines } = setUp({});
		entry.watch('job_1');
		Object.assign(entry, { state: 'paused', pausing: Promise.resolve(true), mayBePaused: true });
		if (error !== undefined) client.resumeJob.mockRejectedValue(error);
		return { context, client, entry, lines };
	}

	it('resumes the job, so that it may be paused again', async () => {
		const { context, client, entry, lines } = setUpPaused();
		entry.hasPauseFailed = true;
		entry.job = { job_id: 'job_1', status: 'paused', body: {} };

		await resumeIfPaused(context);

		expect(client.resumeJob.mock.calls).toEqual([['job_1', { signal: context.signal }]]);
		expect(entry).toMatchObject({ state: 'running', pausing: undefined, hasPauseFailed: false });
		expect(entry).toMatchObject({ isSeenPaused: false, mayBePaused: false });
		expect(lines).toEqual([]);
	});

	it.each<[string, (entry: LedgerEntry) => unknown]>([
		['that the node has not paused', (entry) => (entry.mayBePaused = false)],
		['that has finished meanwhile', (entry) => (entry.state = 'finished')],
		['without an ID', (entry) => (entry.jobId = undefined)],
	])('leaves a job alone %s', async (_label, change) => {
		const { context, client, entry } = setUpPaused();
		change(entry);

		await resumeIfPaused(context);

		expect(client.resumeJob).not.toHaveBeenCalled();
	});

	it('knows after a rejection that the pause had failed before', async () => {
		const { context, entry } = setUpPaused(failure('rateLimited'));
		entry.hasPauseFailed = true;

		await errorOf(resumeIfPaused(context));

		expect(entry.hasPauseFailed).toBe(true);
	});

	it.each([
		['pauses', 'says so', true, 'paused'],
		['does not pause', 'does not say so', false, 'running'],
	])('%s the job again when it may be running and its policy %s', async (...row) => {
		const [, , whenAbandoned, state] = row;
		const { context, client, entry } = setUpPaused(failure('timeout'));
		entry.client = { ...client, pauseJob: async () => ({}) } as unknown as ServiceClient;
		entry.policy = { onStop: false, whenAbandoned };

		await errorOf(resumeIfPaused(context));

		expect(entry.state).toBe(state);
	});

	it('continues after a permanent error, since somebody else may have resumed the job', async () => {
		const { context, entry, lines } = setUpPaused(failure('invalid'));

		await resumeIfPaused(context);

		expect(entry.state).toBe('running');
		expect(lines).toEqual(['warn: Browser Agent could not resume job job_1: invalid']);
	});

	it.each<[string, Error, string, Partial<LedgerEntry>]>([
		[
			'that it stays paused after a rejection',
			failure('rateLimited'),
			'Job job_1: Rate limit exceeded for this account',
			{ state: 'paused', pausing: expect.any(Promise) },
		],
		[
			'that it may be running after a lost response',
			failure('timeout'),
			'Job job_1: The service did not respond in time',
			{ state: 'running', pausing: undefined },
		],
		[
			'that it may be running after a Stop',
			failure('aborted'),
			'Job job_1: Execution canceled',
			{ state: 'running', pausing: undefined },
		],
		[
			'that it may be running after an error that is not of the service',
			new Error('no memory'),
			'no memory',
			{ state: 'running', pausing: undefined },
		],
	])('fails, and knows %s', async (_label, cause, message, expected) => {
		const { context, entry } = setUpPaused(cause);

		const error = await errorOf(resumeIfPaused(context));

		expect(error.message).toBe(message);
		expect(entry).toMatchObject({ ...expected, mayBePaused: true });
	});

	it('waits for a pause that an earlier try has left on its way', async () => {
		const { context, client, entry } = setUpPaused();
		let paused = () => {};
		entry.pausing = new Promise((resolve) => (paused = () => resolve(true)));

		const resuming = resumeIfPaused(context);
		await Promise.resolve();
		expect(client.resumeJob).not.toHaveBeenCalled();
		paused();
		await resuming;

		expect(client.resumeJob).toHaveBeenCalledTimes(1);
	});

	it('resumes a job whose pause had no response, since it may be paused', async () => {
		const { context, client, entry } = setUpPaused();
		Object.assign(entry, { state: 'running', pausing: Promise.resolve(false) });

		await resumeIfPaused(context);

		expect(client.resumeJob).toHaveBeenCalledTimes(1);
	});
});

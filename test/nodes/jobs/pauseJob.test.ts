import { ServiceError, type ServiceErrorKind } from '../../../nodes/errors/ServiceError';
import { LedgerEntry } from '../../../nodes/jobs/JobLedger';
import { pauseJob, pauseJobs } from '../../../nodes/jobs/pauseJob';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { captureLogger } from '../../support/captureLogger';
import { fakeClock } from '../../support/fakeClock';

const START_MS = 1_000_000;
const PROVISIONING = { job_id: 'job_1', status: 'provisioning' };
const FAILED_LINE = 'warn: Browser Agent could not pause job job_1: ';

/** A running job, and a service whose answers to a pause are these; the last one stays. */
function setUp(...answers: Array<'paused' | Error>) {
	const clock = fakeClock(START_MS);
	const { logger, lines } = captureLogger();
	const client = {
		pauseJob: jest.fn(async () => {
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			if (answer instanceof Error) throw answer;
			return {};
		}),
	};
	const entry = new LedgerEntry(clock);
	entry.watch('job_1');
	entry.client = client as unknown as ServiceClient;
	return { clock, lines, client, entry, context: { clock, logger } };
}

function failure(kind: ServiceErrorKind, retryAfterMs?: number): ServiceError {
	return new ServiceError({ kind, retryAfterMs });
}

describe('pauseJob', () => {
	it('pauses the job, notes it and logs it', async () => {
		const { context, entry, client, lines } = setUp('paused');

		const isPaused = await pauseJob(context, entry);

		expect(isPaused).toBe(true);
		expect(entry).toMatchObject({ state: 'paused', hasPauseFailed: false });
		expect(client.pauseJob.mock.calls).toEqual([['job_1', { deadline: START_MS + 7_000 }]]);
		expect(lines).toEqual(['info: Browser Agent paused job job_1, since its wait has ended']);
	});

	it('sends one request however often it is called', async () => {
		const { context, entry, client } = setUp('paused');

		const results = await Promise.all([pauseJob(context, entry), pauseJob(context, entry)]);
		const later = await pauseJob(context, entry);

		expect([...results, later]).toEqual([true, true, true]);
		expect(client.pauseJob).toHaveBeenCalledTimes(1);
	});

	it('repeats the request after transient errors, each time after twice the pause', async () => {
		const { context, entry, clock, lines } = setUp(
			failure('serverError'),
			failure('timeout'),
			failure('connectionLost'),
			'paused',
		);

		const isPaused = await pauseJob(context, entry);

		expect(isPaused).toBe(true);
		expect(clock.slept).toEqual([500, 1_000, 2_000]);
		expect(lines).toEqual([
			`${FAILED_LINE}serverError`,
			`${FAILED_LINE}timeout`,
			`${FAILED_LINE}connectionLost`,
			expect.stringContaining('paused job job_1'),
		]);
	});

	it.each<[string, (entry: LedgerEntry) => void]>([
		['was seen to be', (entry) => (entry.job = { ...PROVISIONING, body: {} })],
		['is, by the answer to its start', (entry) => entry.noteStarted({ ...PROVISIONING, body: {} })],
	])('repeats the request when the job %s provisioning', async (_label, note) => {
		const { context, entry, clock } = setUp(failure('invalid'), 'paused');
		note(entry);

		const isPaused = await pauseJob(context, entry);

		expect(isPaused).toBe(true);
		expect(clock.slept).toEqual([500]);
	});

	it('repeats the request for half a minute before it gives up', async () => {
		const { context, entry, client, clock } = setUp(failure('serverError'));

		const isPaused = await pauseJob(context, entry);

		expect(isPaused).toBe(false);
		expect(entry).toMatchObject({ state: 'running', hasPauseFailed: true });
		expect(client.pauseJob).toHaveBeenCalledTimes(9);
		expect(clock.slept).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
	});

	it.each([
		['longer than its own', 7_000, [7_000]],
		['shorter than its own', 100, [500]],
	])('waits for the pause that the service asks for when it is %s', async (_label, ms, slept) => {
		const { context, entry, clock } = setUp(failure('rateLimited', ms), 'paused');

		await pauseJob(context, entry);

		expect(clock.slept).toEqual(slept);
	});

	it.each([
		['gives up at once when the pause would last until the deadline', 30_000, 1],
		['repeats the request when the pause ends before the deadline', 29_999, 2],
	])('%s', async (_label, retryAfterMs, requests) => {
		const { context, entry, client } = setUp(failure('rateLimited', retryAfterMs), 'paused');

		await pauseJob(context, entry);

		expect(client.pauseJob).toHaveBeenCalledTimes(requests);
	});

	it.each<[string, Error, string]>([
		['a lasting error', failure('notFound'), 'notFound'],
		['an error that is not of the service', new Error('no memory'), 'no memory'],
	])('gives up at once after %s', async (_label, error, words) => {
		const { context, entry, clock, lines } = setUp(error);

		const isPaused = await pauseJob(context, entry);

		expect(isPaused).toBe(false);
		expect(entry).toMatchObject({ state: 'running', hasPauseFailed: true });
		expect(clock.slept).toEqual([]);
		expect(lines).toEqual([`${FAILED_LINE}${words}`]);
	});

	it('logs what was thrown although it is no error', async () => {
		const { context, entry, client, lines } = setUp('paused');
		client.pauseJob.mockRejectedValue('broken');

		expect(await pauseJob(context, entry)).toBe(false);
		expect(lines).toEqual([`${FAILED_LINE}broken`]);
	});

	it.each<[string, Partial<LedgerEntry>]>([
		['job', { jobId: undefined }],
		['client', { client: undefined }],
	])('pauses nothing without a %s', async (_label, missing) => {
		const { context, entry, client } = setUp('paused');
		Object.assign(entry, missing);

		expect(await pauseJob(context, entry)).toBe(false);
		expect(client.pauseJob).not.toHaveBeenCalled();
	});
});

describe('pauseJobs', () => {
	it('pauses each job', async () => {
		const { context, ...one } = setUp('paused');
		const other = setUp('paused');

		await pauseJobs(context, [one.entry, other.entry]);

		expect([one.entry.state, other.entry.state]).toEqual(['paused', 'paused']);
	});
});

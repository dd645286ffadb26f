import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { testClock } from '../../support/testClock';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const JOB = 'job_1';
const MINUTE_MS = 60_000;
const CALL = { execution: '1' };
const GO = toAgentStart({ directive: 'Go' });

describe('ServiceClient', () => {
	const server = useServer();
	let clock: SimulatedClock;
	let client: ServiceClient;

	beforeEach(async () => {
		clock = testClock();
		setClock(clock);
		client = await connectClient({ baseUrl: server.url });
	});
	afterEach(() => {
		setServiceLimits();
		setClock();
	});

	describe('startJob', () => {
		it.each([
			['only an ID', { job_id: JOB }, { job_id: JOB }],
			['an ID that is a number', { job_id: 17 }, { job_id: '17' }],
			['a status that is null', { job_id: JOB, status: null }, { job_id: JOB }],
			['an unknown status', { job_id: JOB, status: 'queued' }, { job_id: JOB, status: 'queued' }],
			['an empty link', { job_id: JOB, live_url: '' }, { job_id: JOB }],
		])('takes a response with %s', async (_label, body, expected) => {
			server.answers({ statusCode: 202, body });

			const started = await client.startJob(GO, CALL);

			expect(started).toEqual({ ...expected, body });
		});

		it.each([
			['no ID', { status: 'running' }],
			['an ID that is no segment of a path', { job_id: '../credits' }],
			['a number that has lost digits', '{"job_id":12345678901234567890}'],
		])('is unclear after a response with %s', async (_label, body) => {
			server.answers({ body });

			const error = await serviceErrorOf(client.startJob(GO, CALL));

			expect(error.facts).toMatchObject({
				kind: 'unreadable',
				detail: 'it contains no valid job ID',
			});
			expect(error.isDefinitelyNotProcessed).toBe(false);
		});
	});

	describe('within a rate limit', () => {
		const READS = {
			status: {
				limiter: 'polls',
				call: async (options = {}) => await client.getJob(JOB, { ...CALL, ...options }),
			},
			balance: {
				limiter: 'balance',
				call: async (options = {}) => await client.getCreditBalance({ ...CALL, ...options }),
			},
		} as const;

		/** Takes every permit of the next minute. */
		const exhaust = async (limiter: 'starts' | 'polls' | 'balance') => {
			const permits = limiter === 'starts' ? 10 : 60;
			for (let permit = 0; permit < permits; permit++)
				(await client.account[limiter].acquire(CALL)).release();
		};

		it.each(['status', 'balance'] as const)('a %s waits for its permit', async (read) => {
			server.answers({ body: { status: 'running' } });
			await exhaust(READS[read].limiter);
			const before = clock.now();

			await READS[read].call();

			expect(clock.now() - before).toBe(MINUTE_MS * 1.002);
		});

		it.each(['status', 'balance'] as const)('a %s waits no longer than it may', async (read) => {
			await exhaust(READS[read].limiter);
			const before = clock.now();

			const error = await serviceErrorOf(READS[read].call({ maxQueueMs: 2_000 }));

			expect(error.kind).toBe('queueTimeout');
			expect(clock.now() - before).toBe(2_000);
			expect(server.arrivals).toEqual([]);
		});

		it('a read waits for five minutes at most, as a Stop may not reach a worker', async () => {
			setServiceLimits({
				start: { calls: 1, windowMs: MINUTE_MS },
				status: { calls: 1, windowMs: 60 * MINUTE_MS },
				balance: { calls: 1, windowMs: MINUTE_MS },
			});
			client = await connectClient({ baseUrl: server.url });
			(await client.account.polls.acquire(CALL)).release();
			const before = clock.now();

			const error = await serviceErrorOf(client.getJob(JOB, CALL));

			expect(error.kind).toBe('queueTimeout');
			expect(clock.now() - before).toBe(5 * MINUTE_MS);
		});

		it('a read and a start wait until their deadline, if that is earlier', async () => {
			await Promise.all([exhaust('polls'), exhaust('starts')]);
			const deadline = clock.now() + 1_000;

			const errors = await Promise.all([
				serviceErrorOf(client.getJob(JOB, { ...CALL, deadline })),
				serviceErrorOf(client.startJob(GO, { ...CALL, deadline })),
			]);

			expect(errors.map(({ kind }) => kind)).toEqual(['queueTimeout', 'queueTimeout']);
			expect(clock.now()).toBe(deadline);
			expect(server.arrivals).toEqual([]);
		});

		it('passes on the execution of a call', async () => {
			server.answers({ body: { status: 'running', job_id: JOB } });
			const acquire = jest.spyOn(client.account.polls, 'acquire');
			const acquireStart = jest.spyOn(client.account.starts, 'acquire');

			await client.getJob(JOB, { execution: '7' });
			await client.startJob(GO, { execution: '7' });

			expect(acquire.mock.lastCall?.[0]).toMatchObject({ execution: '7' });
			expect(acquireStart.mock.lastCall?.[0]).toMatchObject({ execution: '7' });
		});

		it('a pause and a list of files need no permit', async () => {
			await Promise.all([exhaust('starts'), exhaust('polls'), exhaust('balance')]);
			const before = clock.now();

			await client.pauseJob(JOB);
			await client.getJobFiles(JOB);

			expect(clock.now()).toBe(before);
		});
	});

	it.each([
		['3 s after it', 10_000, 13_000],
		['3 s after now, if it has passed', -10_000, 3_000],
		['30 s after now, if it is later', 60_000, 30_000],
	])('gives up a call with a deadline %s', async (_label, deadlineInMs, timeoutMs) => {
		const timeout = jest.spyOn(clock, 'timeout');

		await client.pauseJob(JOB, { deadline: clock.now() + deadlineInMs });
		await client.getJobFiles(JOB, { deadline: clock.now() + deadlineInMs });

		expect(timeout.mock.calls).toEqual([[timeoutMs], [timeoutMs]]);
	});
});

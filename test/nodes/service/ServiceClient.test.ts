import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart, toWorkflowStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { fakeClock, type FakeClock } from '../../support/fakeClock';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const JOB = 'job_1';
const MINUTE_MS = 60_000;
const GO = toAgentStart({ directive: 'Go' });

describe('ServiceClient', () => {
	const server = useServer();
	let clock: FakeClock;
	let client: ServiceClient;

	beforeEach(async () => {
		clock = fakeClock();
		setClock(clock);
		client = await connectClient({ baseUrl: server.url });
	});
	afterEach(() => {
		setServiceLimits();
		setClock();
	});

	describe('startJob', () => {
		it.each([
			['quotes and line breaks', 'a "b"\n\tc\\'],
			['other scripts', '价格 — цена 🙂'],
			['JSON', '{"a":1}'],
		])('sends text with %s unchanged', async (_label, payload) => {
			server.answers({ body: { job_id: JOB } });

			await client.startJob(toWorkflowStart('wf_1', payload));

			expect(JSON.parse(server.arrivals[0]?.body ?? '')).toEqual({ payload });
		});

		it.each([
			['only an ID', { job_id: JOB }, { job_id: JOB }],
			['an ID that is a number', { job_id: 17 }, { job_id: '17' }],
			['a status that is null', { job_id: JOB, status: null }, { job_id: JOB }],
			['an unknown status', { job_id: JOB, status: 'queued' }, { job_id: JOB, status: 'queued' }],
			['an empty link', { job_id: JOB, live_url: '' }, { job_id: JOB }],
		])('takes a response with %s', async (_label, body, expected) => {
			server.answers({ statusCode: 202, body });

			const started = await client.startJob(GO);

			expect(started).toEqual({ ...expected, body });
		});

		it.each([
			['no ID', { status: 'running' }],
			['an ID that is null', { job_id: null }],
			['an empty ID', { job_id: '' }],
			['an ID that is an object', { job_id: { id: JOB } }],
			['an ID that is no segment of a path', { job_id: '../credits' }],
			['an ID of 201 characters', { job_id: 'x'.repeat(201) }],
			['a number that has lost digits', '{"job_id":12345678901234567890}'],
			['a number just too large', '{"job_id":9007199254740993}'],
			['a fraction', { job_id: 1.5 }],
			['a number with an exponent', '{"job_id":1e21}'],
		])('is unclear after a response with %s', async (_label, body) => {
			server.answers({ body });

			const error = await serviceErrorOf(client.startJob(GO));

			expect(error.facts).toEqual({ kind: 'unreadable', detail: 'it contains no valid job ID' });
			expect(error.isDefinitelyNotProcessed).toBe(false);
		});

		it('notes the start, as a 404 means nothing at first', async () => {
			server.answers({ body: { job_id: JOB } });

			await client.startJob(GO);

			expect(client.account.mayBeUnknownYet(JOB)).toBe(true);
		});
	});

	it.each([
		['a question mark', 'a?b', 'a%3Fb'],
		['a hash', 'a#b', 'a%23b'],
		['a percent sign', 'a%2Fb', 'a%252Fb'],
		['a slash', '../credits', '..%2Fcredits'],
		['another script', 'ключ', '%D0%BA%D0%BB%D1%8E%D1%87'],
	])('keeps a job ID with %s within one segment of the path', async (_label, jobId, segment) => {
		server.answers({ body: { status: 'running' } });

		await client.getJob(jobId);
		await client.pauseJob(jobId);
		await client.resumeJob(jobId);
		await client.getJobFiles(jobId);

		expect(server.arrivals.map(({ method, path }) => `${method} ${path}`)).toEqual([
			`GET /v1/get_job_status/${segment}`,
			`POST /v1/pause_job/${segment}`,
			`POST /v1/resume_job/${segment}`,
			`GET /v1/get_job_files/${segment}`,
		]);
	});

	describe('within a rate limit', () => {
		const READS = {
			status: { limiter: 'polls', call: async (options = {}) => await client.getJob(JOB, options) },
			balance: {
				limiter: 'balance',
				call: async (options = {}) => await client.getCreditBalance(options),
			},
		} as const;

		/** Takes every turn of the next minute. */
		const exhaust = async (limiter: 'starts' | 'polls' | 'balance') => {
			const turns = limiter === 'starts' ? 10 : 60;
			for (let turn = 0; turn < turns; turn++)
				(await client.account[limiter].acquire({})).release();
		};

		it.each(['status', 'balance'] as const)('a %s waits for its turn', async (read) => {
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

		it('a read waits until its deadline, if that is earlier', async () => {
			await exhaust('polls');
			const before = clock.now();

			const error = await serviceErrorOf(client.getJob(JOB, { deadline: before + 1_000 }));

			expect(error.kind).toBe('queueTimeout');
			expect(clock.now() - before).toBe(1_000);
		});

		it('a read waits for five minutes at most, as a Stop may not reach a worker', async () => {
			setServiceLimits({
				start: { calls: 1, windowMs: MINUTE_MS },
				status: { calls: 1, windowMs: 60 * MINUTE_MS },
				balance: { calls: 1, windowMs: MINUTE_MS },
			});
			client = await connectClient({ baseUrl: server.url });
			(await client.account.polls.acquire({})).release();
			const before = clock.now();

			const error = await serviceErrorOf(client.getJob(JOB));

			expect(error.kind).toBe('queueTimeout');
			expect(clock.now() - before).toBe(5 * MINUTE_MS);
		});

		it('a start waits until its deadline', async () => {
			await exhaust('starts');
			const before = clock.now();

			const error = await serviceErrorOf(client.startJob(GO, { deadline: before + 1_000 }));

			expect(error.kind).toBe('queueTimeout');
			expect(server.arrivals).toEqual([]);
		});

		it('passes on execution and kind of a call', async () => {
			server.answers({ body: { status: 'running', job_id: JOB } });
			const acquire = jest.spyOn(client.account.polls, 'acquire');
			const acquireStart = jest.spyOn(client.account.starts, 'acquire');

			await client.getJob(JOB, { execution: '7', isBackground: true });
			await client.startJob(GO, { execution: '7' });

			expect(acquire.mock.lastCall?.[0]).toMatchObject({ execution: '7', isBackground: true });
			expect(acquireStart.mock.lastCall?.[0]).toMatchObject({ execution: '7' });
		});

		it.each([
			['pauseJob', async () => await client.pauseJob(JOB)],
			['getJobFiles', async () => await client.getJobFiles(JOB)],
		])('%s needs no turn', async (_name, call) => {
			await Promise.all([exhaust('starts'), exhaust('polls'), exhaust('balance')]);

			await call();

			expect(server.arrivals).toHaveLength(1);
		});
	});

	describe('with a deadline', () => {
		it.each([
			['3 s after it', 10_000, 13_000],
			['3 s after now, if it has passed', -10_000, 3_000],
			['30 s after now, if it is later', 60_000, 30_000],
		])('gives up a call %s', async (_label, deadlineInMs, timeoutMs) => {
			const timeout = jest.spyOn(clock, 'timeout');

			await client.pauseJob(JOB, { deadline: clock.now() + deadlineInMs });
			await client.getJobFiles(JOB, { deadline: clock.now() + deadlineInMs });

			expect(timeout.mock.calls).toEqual([[timeoutMs], [timeoutMs]]);
		});
	});
});

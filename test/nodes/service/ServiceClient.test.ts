import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart, toWorkflowStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { fakeClock, type FakeClock } from '../../support/fakeClock';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';
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
		it('sends the request as it is, and returns the response', async () => {
			const body = {
				job_id: JOB,
				status: 'running',
				live_url: 'https://example.com/live',
				history_url: 'https://example.com/history',
				polling_url: 'https://example.com/poll',
			};
			server.answers({ body });

			const started = await client.startJob(
				toAgentStart({ directive: 'Find the price', browser_config: { width: 1280 } }),
			);

			const { polling_url: _unused, ...known } = body;
			expect(started).toEqual({ ...known, body });
			expect(server.arrivals).toMatchObject([
				{
					method: 'POST',
					path: '/v1/run_browser_agent',
					body: '{"directive":"Find the price","browser_config":{"width":1280}}',
					headers: {
						'content-type': 'application/json',
						accept: 'application/json',
						authorization: 'Bearer sandbox-pro-key',
					},
				},
			]);
		});

		it('sends an empty object, which n8n would drop', async () => {
			server.answers({ body: { job_id: JOB } });

			await client.startJob(toWorkflowStart('wf_1', undefined));

			expect(server.arrivals).toMatchObject([
				{
					path: '/workflows/run-with-payload/wf_1',
					body: '{}',
					headers: { 'content-type': 'application/json' },
				},
			]);
		});

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

	describe('getJob', () => {
		it('returns what the service knows, and the whole response', async () => {
			const body = {
				job_id: JOB,
				status: 'completed',
				output: 'Done',
				error: 'a warning',
				credits_used: 20,
				live_url: 'https://example.com/live',
				history_url: 'https://example.com/history',
				created_at: '2026-01-01T00:00:00Z',
				updated_at: '2026-01-01T00:01:00Z',
				region: 'eu',
			};
			server.answers({ body });

			const job = await client.getJob(JOB);

			const { region: _unknown, ...known } = body;
			expect(job).toEqual({ ...known, body });
			expect(server.arrivals).toMatchObject([
				{ method: 'GET', path: '/v1/get_job_status/job_1', body: '' },
			]);
			expect(server.arrivals[0]?.headers).not.toHaveProperty('content-type');
		});

		it.each([
			['only a status', { status: 'running' }, { status: 'running' }],
			[
				'null everywhere else',
				{
					status: 'failed',
					job_id: null,
					output: null,
					error: null,
					credits_used: null,
					live_url: null,
					created_at: null,
				},
				{ status: 'failed' },
			],
			[
				'an output that is an object',
				{ status: 'completed', output: { a: 1 } },
				{ status: 'completed', output: { a: 1 } },
			],
			[
				'an output that is empty',
				{ status: 'completed', output: '' },
				{ status: 'completed', output: '' },
			],
			[
				'an output that is false',
				{ status: 'completed', output: false },
				{ status: 'completed', output: false },
			],
			[
				'an error that is an object',
				{ status: 'failed', error: { code: 7 } },
				{ status: 'failed', error: { code: 7 } },
			],
			['an unknown status', { status: 'dreaming' }, { status: 'dreaming' }],
			['the British spelling of canceled', { status: 'cancelled' }, { status: 'canceled' }],
			['another ID', { job_id: 'job_2', status: 'running' }, { status: 'running' }],
			['credits that are text', { status: 'running', credits_used: 'many' }, { status: 'running' }],
			['an empty link', { status: 'running', live_url: '' }, { status: 'running' }],
		])('takes a response with %s', async (_label, body, expected) => {
			server.answers({ body });

			const job = await client.getJob(JOB);

			expect(job).toEqual({ job_id: JOB, ...expected, body });
		});

		it.each([
			['no status', { output: 'Done' }],
			['a status that is null', { status: null }],
			['an empty status', { status: '' }],
		])('may succeed later after a response with %s', async (_label, body) => {
			server.answers({ body });

			const error = await serviceErrorOf(client.getJob(JOB));

			expect(error.facts).toEqual({ kind: 'unreadable', detail: 'it contains no status' });
			expect(error.isTransient).toBe(true);
		});

		it('takes a permit that was granted before', async () => {
			server.answers({ body: { status: 'running' } });
			const permit = { release: jest.fn(), cancel: jest.fn() };
			const acquire = jest.spyOn(client.account.polls, 'acquire');

			await client.getJob(JOB, { permit });

			expect(acquire).not.toHaveBeenCalled();
			expect(permit.release).toHaveBeenCalledTimes(1);
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

	describe.each(['pauseJob', 'resumeJob'] as const)('%s', (method) => {
		it('sends no body', async () => {
			await client[method](JOB);

			expect(server.arrivals[0]?.body).toBe('');
			expect(server.arrivals[0]?.headers).not.toHaveProperty('content-type');
		});

		it.each([
			['nothing', { statusCode: 204 }, ''],
			['null', { body: 'null' }, null],
			['text', { body: 'paused' }, 'paused'],
			['a list', { body: [1] }, [1]],
			['an object', { body: { status: 'success' } }, { status: 'success' }],
		])('takes any response: %s', async (_label, response, expected) => {
			server.answers(response);

			expect(await client[method](JOB)).toEqual(expected);
		});
	});

	describe('getJobFiles', () => {
		const file = { filename: 'a.pdf', download_url: 'https://example.com/a', expires_in: 60 };

		it.each([
			['files', { job_id: JOB, file_count: 1, files: [file] }, [file]],
			['no files', { job_id: JOB, file_count: 0, files: [] }, []],
			['no list', { job_id: JOB }, []],
			['null for a list', { files: null }, []],
			['fields missing', { files: [{ filename: 'a.pdf' }] }, [{ filename: 'a.pdf' }]],
			[
				'fields of other types',
				{ files: [{ filename: 7, download_url: null, expires_in: 'soon' }] },
				[{ filename: '7' }],
			],
			['entries that are no files', { files: [null, 'a.pdf', [], file] }, [file]],
		])('takes a response with %s', async (_label, body, expected) => {
			server.answers({ body });

			expect(await client.getJobFiles(JOB)).toEqual(expected);
		});

		it('takes 1,000 files, and throws for more', async () => {
			server.answers({ body: { files: Array.from({ length: 1_000 }, () => file) } });
			expect(await client.getJobFiles(JOB)).toHaveLength(1_000);

			server.answers({ body: { files: Array.from({ length: 1_001 }, () => file) } });
			await expect(client.getJobFiles(JOB)).rejects.toThrow(`Job ${JOB} has more than 1000 files`);
		});
	});

	it('getCreditBalance returns the response as it is', async () => {
		const body = { plan: 'pro', unlimited: false, credit_balance: 12, next_reset: null };
		server.answers({ body });

		const balance = await client.getCreditBalance();

		expect(balance).toEqual(body);
		expect(server.arrivals).toMatchObject([{ method: 'GET', path: '/v1/get_credit_balance' }]);
	});

	describe('getHealth', () => {
		it.each([
			['a success', { statusCode: 200, body: { status: 'ok' } }, { status: 'ok' }],
			['a server error', { statusCode: 503, body: 'down' }, 'down'],
			['a redirect', { statusCode: 302 }, ''],
			['a rejection', { statusCode: 401, body: { detail: 'no' } }, { detail: 'no' }],
		])('takes any response, once: %s', async (_label, answer, response) => {
			server.answers(answer);

			const health = await client.getHealth();

			expect(health).toEqual({ statusCode: answer.statusCode, response });
			expect(server.arrivals).toHaveLength(1);
		});

		it('does not send the key', async () => {
			await client.getHealth();

			expect(server.arrivals[0]).toMatchObject({ method: 'GET', path: '/v1/health' });
			expect(server.arrivals[0]?.headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(server.arrivals)).not.toContain('sandbox-pro-key');
		});

		it('says why there is no response', async () => {
			const unreachable = await connectClient({ baseUrl: 'http://127.0.0.1:1' });

			expect(await unreachable.getHealth()).toEqual({ message: 'the connection was refused' });
		});

		it('throws if it is aborted', async () => {
			const error = await serviceErrorOf(client.getHealth({ signal: AbortSignal.abort() }));

			expect(error.kind).toBe('aborted');
		});
	});

	describe('readPage', () => {
		const other = useServer();

		it('reads a text without the key, even from the service itself', async () => {
			server.answers({ body: '["job_1"]' });
			other.answers({ body: 'not JSON' });

			const texts = [
				await client.readPage(`${server.url}/list`, {}),
				await client.readPage(`${other.url}/list`, {}),
			];

			expect(texts).toEqual(['["job_1"]', 'not JSON']);
			for (const { headers } of [...server.arrivals, ...other.arrivals]) {
				expect(headers).not.toHaveProperty('authorization');
			}
		});

		it('reads as many bytes as it may', async () => {
			other.answers((_arrival, response) => response.end('x'.repeat(11)));

			const text = await client.readPage(other.url, { maxBytes: 11 });
			const error = await serviceErrorOf(client.readPage(other.url, { maxBytes: 10 }));

			expect(text).toHaveLength(11);
			expect(error.kind).toBe('tooLarge');
		});

		it('is not repeated', async () => {
			other.answers({ statusCode: 503 });

			const error = await serviceErrorOf(client.readPage(other.url, {}));

			expect(error.facts).toMatchObject({ kind: 'serverError', statusCode: 503 });
			expect(other.arrivals).toHaveLength(1);
		});
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

	describe('with retry', () => {
		/** Responds with 503 for as many times, then with success. */
		const failTimes = (times: number) =>
			server.answers((_arrival, response) => {
				response.writeHead(server.arrivals.length <= times ? 503 : 200);
				response.end('{"status":"running"}');
			});

		it.each([
			['getJob', async () => await client.getJob(JOB, { retry: true })],
			['getJobFiles', async () => await client.getJobFiles(JOB, { retry: true })],
			['getCreditBalance', async () => await client.getCreditBalance({ retry: true })],
		])('repeats %s after a transient error', async (_name, read) => {
			failTimes(2);

			await read();

			expect(server.arrivals).toHaveLength(3);
		});

		it('repeats a read whose response is unreadable', async () => {
			server.answers({ body: {} });

			const error = await serviceErrorOf(client.getJob(JOB, { retry: true }));

			expect(error.kind).toBe('unreadable');
			expect(server.arrivals).toHaveLength(3);
		});

		it('is off by default', async () => {
			failTimes(1);

			await serviceErrorOf(client.getJob(JOB));

			expect(server.arrivals).toHaveLength(1);
		});
	});

	it('redacts text with its own secrets, and makes it plain', () => {
		const text = '<b>sandbox-pro-key';

		expect(client.redact(text)).toBe('<b>[hidden]');
		expect(client.toPlainText(text)).toBe('‹b›[hidden]');
		expect(client.toPlainText(text, 5)).toBe('‹b›[…');
	});
});

describe('ServiceClient and the documented service', () => {
	const sandbox = useSandbox({ validateResponses: true, limits: 'off' });

	it('agree on every endpoint', async () => {
		const client = await connectClient({ baseUrl: sandbox.url });
		await sandbox.admin.nextJob({
			statuses: ['running', 'completed'],
			output: 'Done',
			files: [{ filename: 'a.txt', content: 'A' }],
		});

		const health = await client.getHealth();
		const balance = await client.getCreditBalance();
		const { job_id: jobId } = await client.startJob(GO);
		const running = await client.getJob(jobId);
		const paused = await client.pauseJob(jobId);
		const resumed = await client.resumeJob(jobId);
		const finished = await client.getJob(jobId);
		const files = await client.getJobFiles(jobId);

		expect(health).toEqual({ statusCode: 200, response: { status: 'ok' } });
		expect(balance).toMatchObject({ plan: 'pro', unlimited: false });
		expect(running.status).toBe('running');
		expect(paused).toMatchObject({ status: 'success' });
		expect(resumed).toMatchObject({ status: 'success' });
		expect(finished).toMatchObject({ status: 'completed', output: 'Done' });
		expect(files).toEqual([
			{ filename: 'a.txt', download_url: expect.any(String), expires_in: expect.any(Number) },
		]);
	});

	it('agree on a start with every field', async () => {
		const client = await connectClient({ baseUrl: sandbox.url });
		const request = {
			directive: 'Find the price',
			initial_url: 'https://example.com',
			action_selection_model: 'o3',
			browser_config: {
				width: 1280,
				height: 720,
				residential_ip: 'de',
				max_duration_minutes: 10,
				idle_timeout_minutes: 1,
				keep_browser_open: true,
				use_user_browser_profile: false,
			},
		};

		await client.startJob(toAgentStart(request));

		const [job] = await sandbox.admin.jobs();
		expect(job?.request).toEqual(request);
	});
});

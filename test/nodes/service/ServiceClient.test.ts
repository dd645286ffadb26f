import { connectClient, refusalOf } from '../../support/connectClient';
import { useSandbox } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { setServiceLimits } from '../../support/testRuntime';

const JOB = 'job_1';

describe('the service client', () => {
	const server = useServer();
	const connected = async () => await connectClient({ baseUrl: server.url });

	afterEach(() => setServiceLimits());

	describe('starting an agent', () => {
		it('sends the request as it is, and returns the job with the whole answer', async () => {
			const answer = { job_id: JOB, status: 'running', live_url: 'https://example.com/live' };
			server.answers({ body: answer });

			const started = await (
				await connected()
			).startAgent({ directive: 'Find the price', browser_config: { width: 1280 } });

			expect(started).toEqual({ job_id: JOB, status: 'running', body: answer });
			expect(server.arrivals).toHaveLength(1);
			expect(server.arrivals[0]).toMatchObject({
				method: 'POST',
				path: '/v1/run_browser_agent',
				body: '{"directive":"Find the price","browser_config":{"width":1280}}',
				headers: {
					'content-type': 'application/json',
					accept: 'application/json',
					authorization: 'Bearer sandbox-pro-key',
				},
			});
		});

		it.each([
			['only an ID', { job_id: JOB }, { job_id: JOB, status: undefined }],
			['an ID that is a number', { job_id: 17, status: 'running' }, { job_id: '17' }],
			['a status that is null', { job_id: JOB, status: null }, { status: undefined }],
			['a status nobody knows', { job_id: JOB, status: 'queued' }, { status: 'queued' }],
			['fields nobody knows', { job_id: JOB, status: 'running', region: 'eu' }, { job_id: JOB }],
		])('takes an answer with %s', async (_label, answer, seen) => {
			server.answers({ body: answer });

			const started = await (await connected()).startAgent({ directive: 'Go' });

			expect(started).toMatchObject({ ...seen, body: answer });
		});

		it('takes an answer with any status of success', async () => {
			server.answers({ statusCode: 202, body: { job_id: JOB } });

			const started = await (await connected()).startAgent({ directive: 'Go' });

			expect(started.job_id).toBe(JOB);
		});

		it.each([
			['an object without an ID', { status: 'running' }],
			['an ID that is null', { job_id: null }],
			['an ID that is empty', { job_id: '' }],
			['an ID that is no text', { job_id: { id: JOB } }],
			['a list', [{ job_id: JOB }]],
			['a text', '"job_1"'],
			['null', 'null'],
			['broken JSON', '{"job_id": "job_1"'],
			['a web page', '<html><title>Welcome</title></html>'],
			['nothing', undefined],
		])('is unclear after an answer that is %s', async (_label, body) => {
			server.answers({ body });

			const refusal = await refusalOf((await connected()).startAgent({ directive: 'Go' }));

			expect(refusal.kind).toBe('unreadable');
			expect(refusal.isDefinitelyNotProcessed).toBe(false);
			expect(server.arrivals).toHaveLength(1);
		});
	});

	describe('running a saved workflow', () => {
		it('sends the payload', async () => {
			const answer = { status: 'success', job_id: JOB, workflow_id: 'wf_1' };
			server.answers({ body: answer });

			const started = await (await connected()).runWorkflow('wf_1', 'for March');

			expect(started).toEqual({ job_id: JOB, status: 'success', body: answer });
			expect(server.arrivals[0]).toMatchObject({
				method: 'POST',
				path: '/workflows/run-with-payload/wf_1',
				body: '{"payload":"for March"}',
			});
		});

		it('sends an empty object without a payload, which n8n would drop', async () => {
			server.answers({ body: { job_id: JOB } });

			await (await connected()).runWorkflow('wf_1', undefined);

			expect(server.arrivals[0]?.body).toBe('{}');
			expect(server.arrivals[0]?.headers['content-type']).toBe('application/json');
		});

		it('sends a payload that is empty as it is', async () => {
			server.answers({ body: { job_id: JOB } });

			await (await connected()).runWorkflow('wf_1', '');

			expect(server.arrivals[0]?.body).toBe('{"payload":""}');
		});

		it.each([
			['quotes and line breaks', 'a "b"\n\tc\\'],
			['other scripts', '价格 — цена 🙂'],
			['what looks like JSON', '{"a":1}'],
		])('sends a payload with %s unharmed', async (_label, payload) => {
			server.answers({ body: { job_id: JOB } });

			await (await connected()).runWorkflow('wf_1', payload);

			expect(JSON.parse(server.arrivals[0]?.body ?? '')).toEqual({ payload });
		});
	});

	describe('looking at a job', () => {
		it('returns what the service has sent, and the whole answer', async () => {
			const answer = {
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
			server.answers({ body: answer });

			const job = await (await connected()).getJob(JOB);

			const { region: _unknown, ...known } = answer;
			expect(job).toEqual({ ...known, body: answer });
			expect(server.arrivals[0]).toMatchObject({
				method: 'GET',
				path: '/v1/get_job_status/job_1',
				body: '',
			});
		});

		it.each([
			['only a status', { status: 'running' }, { status: 'running' }],
			[
				'fields that are null',
				{
					status: 'failed',
					job_id: null,
					output: null,
					error: null,
					credits_used: null,
					live_url: null,
					history_url: null,
					created_at: null,
				},
				{ status: 'failed' },
			],
			[
				'an output that is an object',
				{ status: 'completed', output: { a: 1 } },
				{ output: { a: 1 } },
			],
			['an output that is empty', { status: 'completed', output: '' }, { output: '' }],
			['an output that is false', { status: 'completed', output: false }, { output: false }],
			[
				'an error that is an object',
				{ status: 'failed', error: { code: 7 } },
				{ error: { code: 7 } },
			],
			['a status nobody knows', { status: 'dreaming' }, { status: 'dreaming' }],
			['the other spelling of canceled', { status: 'cancelled' }, { status: 'canceled' }],
			['another ID', { job_id: 'job_2', status: 'running' }, { status: 'running' }],
			['an ID that is a number', { job_id: 1, status: 'running' }, { status: 'running' }],
			['credits that are text', { status: 'running', credits_used: 'many' }, { status: 'running' }],
			['an empty address', { status: 'running', live_url: '' }, { status: 'running' }],
		])('takes an answer with %s', async (_label, answer, seen) => {
			server.answers({ body: answer });

			const { body, ...job } = await (await connected()).getJob(JOB);

			const shown = JSON.parse(JSON.stringify(job)) as unknown;
			expect(shown).toEqual({ job_id: JOB, status: job.status, ...seen });
			expect(body).toEqual(answer);
		});

		it.each([
			['no status', { output: 'Done' }],
			['a status that is null', { status: null }],
			['a status that is empty', { status: '' }],
			['a list', [{ status: 'running' }]],
			['nothing', undefined],
			['broken JSON', '{"status": "runn'],
			['a web page', '<!doctype html><title>Sign in</title>'],
		])('may go better later after an answer that is or has %s', async (_label, body) => {
			server.answers({ body });

			const refusal = await refusalOf((await connected()).getJob(JOB));

			expect(refusal.kind).toBe('unreadable');
			expect(refusal.isTransient).toBe(true);
			expect(refusal.facts.detail).not.toBe('');
		});

		it.each([
			['a slash', 'a/b', 'a%2Fb'],
			['a question mark', 'a?b', 'a%3Fb'],
			['a hash', 'a#b', 'a%23b'],
			['a percent sign', 'a%2Fb', 'a%252Fb'],
			['a space', 'a b', 'a%20b'],
			['a way up', '../credits', '..%2Fcredits'],
			['another script', 'ключ', '%D0%BA%D0%BB%D1%8E%D1%87'],
			['a colon and an at sign', 'a:b@c', 'a%3Ab%40c'],
		])('keeps an ID with %s within one part of the path', async (_label, jobId, encoded) => {
			server.answers({ body: { status: 'running', job_id: JOB } });
			const client = await connected();

			await client.getJob(jobId);
			await client.pauseJob(jobId);
			await client.resumeJob(jobId);
			await client.getJobFiles(jobId);
			await client.runWorkflow(jobId, undefined);

			expect(server.arrivals.map(({ path }) => path)).toEqual([
				`/v1/get_job_status/${encoded}`,
				`/v1/pause_job/${encoded}`,
				`/v1/resume_job/${encoded}`,
				`/v1/get_job_files/${encoded}`,
				`/workflows/run-with-payload/${encoded}`,
			]);
		});
	});

	describe('pausing and resuming a job', () => {
		it.each(['pauseJob', 'resumeJob'] as const)('sends no body: %s', async (method) => {
			await (await connected())[method](JOB);

			expect(server.arrivals[0]).toMatchObject({ method: 'POST', body: '' });
		});

		it.each([
			['nothing', undefined, ''],
			['null', 'null', null],
			['a text', '"ok"', 'ok'],
			['plain text', 'paused', 'paused'],
			['a list', [1], [1]],
			[
				'the usual object',
				{ status: 'success', message: null },
				{ status: 'success', message: null },
			],
		])('takes whatever comes back: %s', async (_label, body, seen) => {
			server.answers({ body });
			const client = await connected();

			const paused = await client.pauseJob(JOB);
			const resumed = await client.resumeJob(JOB);

			expect([paused, resumed]).toEqual([seen, seen]);
		});

		it('takes an answer without content', async () => {
			server.answers({ statusCode: 204 });

			const paused = await (await connected()).pauseJob(JOB);

			expect(paused).toBe('');
		});
	});

	describe("listing a job's files", () => {
		const file = { filename: 'a.pdf', download_url: 'https://example.com/a', expires_in: 60 };

		it.each([
			['files', { job_id: JOB, file_count: 1, files: [file] }, [file]],
			['no files', { job_id: JOB, file_count: 0, files: [] }, []],
			['no list', { job_id: JOB }, []],
			['a list that is null', { files: null }, []],
			['files with fields missing', { files: [{ filename: 'a.pdf' }] }, [{ filename: 'a.pdf' }]],
			[
				'fields that are null or of another kind',
				{ files: [{ filename: 7, download_url: null, expires_in: 'soon' }] },
				[{ filename: '7' }],
			],
			['things that are no files', { files: [null, 'a.pdf', file] }, [file]],
		])('takes an answer with %s', async (_label, body, seen) => {
			server.answers({ body });

			const files = await (await connected()).getJobFiles(JOB);

			expect(JSON.parse(JSON.stringify(files))).toEqual(seen);
		});
	});

	describe('reading the credit balance', () => {
		it('returns the answer as it is', async () => {
			const body = { plan: 'pro', unlimited: false, credit_balance: 12, next_reset: null };
			server.answers({ body });

			const balance = await (await connected()).getCreditBalance();

			expect(balance).toEqual(body);
			expect(server.arrivals[0]).toMatchObject({ method: 'GET', path: '/v1/get_credit_balance' });
		});

		it('does not take anything but an object for a balance', async () => {
			server.answers({ body: '12' });

			const refusal = await refusalOf((await connected()).getCreditBalance());

			expect(refusal.kind).toBe('unreadable');
		});
	});

	describe('asking for the health', () => {
		it.each([
			[
				'yes',
				{ statusCode: 200, body: { status: 'ok' } },
				{ statusCode: 200, response: { status: 'ok' } },
			],
			['no', { statusCode: 503, body: 'down' }, { statusCode: 503, response: 'down' }],
			['a redirect', { statusCode: 302 }, { statusCode: 302, response: '' }],
			['a refusal', { statusCode: 401, body: { detail: 'no' } }, { statusCode: 401 }],
		])('takes every answer for one, and asks once: %s', async (_label, answer, health) => {
			server.answers(answer);

			const told = await (await connected()).getHealth();

			expect(told).toMatchObject(health);
			expect(server.arrivals).toHaveLength(1);
		});

		it('does not show the key', async () => {
			await (await connected()).getHealth();

			expect(server.arrivals[0]?.path).toBe('/v1/health');
			expect(server.arrivals[0]?.headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(server.arrivals)).not.toContain('sandbox-pro-key');
		});

		it('says why there was no answer', async () => {
			const client = await connectClient({ baseUrl: 'http://127.0.0.1:1' });

			const health = await client.getHealth();

			expect(health).toEqual({ message: 'the connection was refused' });
		});

		it('does not take a stop for an answer', async () => {
			const client = await connected();

			const refusal = await refusalOf(client.getHealth({ signal: AbortSignal.abort() }));

			expect(refusal.kind).toBe('stopped');
		});
	});
});

describe('the service client and the documented service', () => {
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
		const { job_id: jobId } = await client.startAgent({ directive: 'Find the price' });
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

	it('agree on a request with everything in it', async () => {
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

		await client.startAgent(request);

		const [job] = await sandbox.admin.jobs();
		expect(job?.request).toEqual(request);
	});
});

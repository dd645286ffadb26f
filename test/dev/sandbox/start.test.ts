import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, ENTERPRISE, FREE, PRO, startJob } from './client';

describe('starting an agent', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	it('answers at once with an identifier and links', async () => {
		const { status, data } = await client.start({ directive: 'Find the cheapest flight' });

		expect(status).toBe(200);
		expect(data).toEqual({
			job_id: expect.stringMatching(/^job_[0-9a-f]{24}$/),
			status: 'running',
			live_url: expect.stringContaining(data.job_id),
			cdp_url: expect.stringMatching(/^wss:\/\/.*token=/),
			history_url: `${sandbox.url}/_sandbox/jobs/${data.job_id}`,
			polling_url: `${sandbox.url}/v1/get_job_status/${data.job_id}`,
		});
	});

	it('gives every job an identifier of its own', async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => client.start()));

		expect(new Set(answers.map(({ data }) => data.job_id)).size).toBe(20);
	});

	it('gives a polling link that works', async () => {
		const { data } = await client.start();

		const poll = await client.http.get(data.polling_url);

		expect(poll.data).toMatchObject({ job_id: data.job_id, status: 'running' });
	});

	it("connects to the client's own browser and hands its addresses back", async () => {
		const request = {
			directive: 'Look around',
			cdp_url: 'wss://own.example/devtools',
			live_url: 'https://own.example/live',
		};

		const { data } = await client.start(request);

		expect(data).toMatchObject({ cdp_url: request.cdp_url, live_url: request.live_url });
	});

	it('has no live view of an own browser that brings none', async () => {
		const { data } = await client.start({
			directive: 'Look',
			cdp_url: 'wss://own.example/devtools',
		});

		expect(data.live_url).toBeNull();
	});

	it('takes null for everything that may be left out, and fields it does not know', async () => {
		const { status } = await client.start({
			directive: 'Look around',
			initial_url: null,
			cdp_url: null,
			live_url: null,
			action_selection_model: null,
			browser_config: null,
			something_new: true,
		});

		expect(status).toBe(200);
	});

	it.each([
		[
			'the smallest values',
			{ width: 320, height: 320, max_duration_minutes: 1, idle_timeout_minutes: 1 },
		],
		[
			'the largest values',
			{ width: 4096, height: 4096, max_duration_minutes: 240, idle_timeout_minutes: 60 },
		],
		['no proxy', { residential_ip: false }],
		['a proxy in the US', { residential_ip: true }],
		['a proxy in a country', { residential_ip: 'kr' }],
		['switches', { keep_browser_open: true, use_user_browser_profile: true }],
		['nothing', {}],
	])('accepts a browser configuration with %s', async (_label, browser_config) => {
		const { status } = await client.start({ directive: 'Look around', browser_config });

		expect(status).toBe(200);
	});

	it.each([
		['width', 319, 'greater_than_equal', 'Input should be greater than or equal to 320'],
		['width', 4097, 'less_than_equal', 'Input should be less than or equal to 4096'],
		['width', 1080.5, 'integer_type', 'Input should be a valid integer'],
		['width', '1280', 'integer_type', 'Input should be a valid integer'],
		['width', null, 'integer_type', 'Input should be a valid integer'],
		['height', 0, 'greater_than_equal', 'Input should be greater than or equal to 320'],
		['height', 5000, 'less_than_equal', 'Input should be less than or equal to 4096'],
		['max_duration_minutes', 0, 'greater_than_equal', 'Input should be greater than or equal to 1'],
		['max_duration_minutes', 241, 'less_than_equal', 'Input should be less than or equal to 240'],
		['idle_timeout_minutes', 0, 'greater_than_equal', 'Input should be greater than or equal to 1'],
		['idle_timeout_minutes', 61, 'less_than_equal', 'Input should be less than or equal to 60'],
		['residential_ip', 'xx', 'literal_error', expect.stringContaining('us, ca, gb, de')],
		['residential_ip', 'US', 'literal_error', expect.stringContaining('us, ca, gb, de')],
		['keep_browser_open', 'yes', 'boolean_type', 'Input should be a valid boolean'],
		['use_user_browser_profile', 1, 'boolean_type', 'Input should be a valid boolean'],
	])('refuses %s = %p with 422 and its place', async (field, value, type, msg) => {
		const browser_config = { [field]: value };

		const { status, data } = await client.start({ directive: 'Look around', browser_config });

		expect(status).toBe(422);
		expect(data).toEqual({ detail: [{ loc: ['body', 'browser_config', field], msg, type }] });
	});

	it.each([
		['no directive', {}, ['body', 'directive'], 'missing'],
		['a directive that is no text', { directive: 5 }, ['body', 'directive'], 'string_type'],
		['null for the directive', { directive: null }, ['body', 'directive'], 'string_type'],
		[
			'an initial URL that is no text',
			{ directive: 'Look', initial_url: 1 },
			['body', 'initial_url'],
			'string_type',
		],
		[
			'a model that is no text',
			{ directive: 'Look', action_selection_model: {} },
			['body', 'action_selection_model'],
			'string_type',
		],
		[
			'a configuration that is text',
			{ directive: 'Look', browser_config: 'big' },
			['body', 'browser_config'],
			'object_type',
		],
		['a list', [], ['body'], 'object_type'],
		['no body', undefined, ['body'], 'missing'],
		['broken JSON', '{"directive": "Look', ['body', expect.any(Number)], 'json_invalid'],
	])('refuses %s with 422', async (_label, body, loc, type) => {
		const { status, data } = await client.http.post('/v1/run_browser_agent', body, {
			headers: { 'Content-Type': 'application/json' },
			transformRequest: (value: unknown) =>
				typeof value === 'object' ? JSON.stringify(value) : value,
		});

		expect(status).toBe(422);
		expect(data).toEqual({ detail: [{ loc, msg: expect.any(String), type }] });
	});

	it('tells everything that is wrong in one answer, and repeats nothing of it', async () => {
		const { data } = await client.start({
			directive: 4711,
			browser_config: { width: 4711, residential_ip: 'atlantis' },
		});

		expect(data.detail.map(({ loc }: { loc: string[] }) => loc.at(-1)).sort()).toEqual([
			'directive',
			'residential_ip',
			'width',
		]);
		expect(JSON.stringify(data)).not.toMatch(/4711|atlantis/);
	});

	it('refuses a body that does not call itself JSON', async () => {
		const { status, data } = await client.http.post('/v1/run_browser_agent', 'directive=look', {
			headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
		});

		expect(status).toBe(422);
		expect(data.detail[0].loc[0]).toBe('body');
	});

	it('refuses a blank directive with 400', async () => {
		const { status, data } = await client.start({ directive: ' \n ' });

		expect(status).toBe(400);
		expect(data).toEqual({ detail: expect.any(String), status_code: 400 });
	});

	it('starts nothing when it refuses', async () => {
		await client.start({ directive: '' });
		await client.start({});
		await new Client(sandbox).start();

		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it('refuses an account without credits with 402, and starts nothing', async () => {
		await sandbox.admin.setCredits(FREE, 0);
		const poor = new Client(sandbox, FREE);

		const agent = await poor.start();
		const workflow = await poor.runWorkflow('wf_daily_report');

		expect(agent.status).toBe(402);
		expect(agent.data).toEqual({ detail: expect.any(String), status_code: 402 });
		expect(workflow.status).toBe(402);
		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it('accepts a model that is not in the table, at the price of the default one', async () => {
		const jobId = await startJob(
			sandbox,
			new Client(sandbox, ENTERPRISE),
			{ steps: 3 },
			{ action_selection_model: 'vendord/next' },
		);
		await sandbox.admin.advance(10);

		expect(await sandbox.admin.job(jobId)).toMatchObject({
			model: 'vendord/next',
			creditsUsed: 15,
		});
	});

	it('can be scripted to answer something else', async () => {
		await sandbox.admin.nextJob({
			startStatus: 'provisioning',
			startBody: { live_url: null, queue_position: 3 },
		});

		const { data } = await client.start();

		expect(data).toMatchObject({ status: 'provisioning', live_url: null, queue_position: 3 });
	});

	it('does without the checks when told to', async () => {
		const unchecked = await startSandbox({ validateRequests: false });
		const free = new Client(unchecked, PRO);

		const statuses = [
			(await free.start({ directive: 'Look', browser_config: { width: 1 } })).status,
			(await free.start({})).status,
		];
		await unchecked.close();

		expect(statuses).toEqual([200, 400]);
	});
});

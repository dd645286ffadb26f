import type { INodeParameters } from 'n8n-workflow';

import { MODELS } from '../../../nodes/service/models';
import { steadyClock } from '../../support/steadyClock';
import { useSandbox, type FaultCase } from '../../support/useSandbox';
import { setClock } from '../../support/testRuntime';

const DEFAULT_MODEL = 'vendora-sonnet-4-20250514';

describe('what Agent: Run sends', () => {
	const service = useSandbox({ limits: 'off' });

	async function bodySentFor(parameters: INodeParameters): Promise<unknown> {
		const { error } = await service.runAgent({ waitUntilFinished: false, ...parameters });
		const [start] = await service.requests({ endpoint: 'startAgent' });
		expect(error).toBeUndefined();
		return start?.body;
	}

	it('is one signed POST of JSON', async () => {
		await service.runAgent({ waitUntilFinished: false });

		const requests = await service.requests();
		expect(requests).toHaveLength(1);
		expect(requests[0]).toMatchObject({
			method: 'POST',
			path: '/v1/run_browser_agent',
			headers: {
				authorization: 'Bearer sandbox-pro-key',
				'content-type': 'application/json',
			},
		});
	});

	it('holds nothing but directive and model when nothing else was set', async () => {
		const body = await bodySentFor({ directive: 'Find "it"\nin two lines – ü' });

		expect(body).toEqual({
			directive: 'Find "it"\nin two lines – ü',
			action_selection_model: DEFAULT_MODEL,
		});
	});

	it.each<[string, INodeParameters, object]>([
		[
			'an initial URL',
			{ initialUrl: ' https://example.com/a?b=c ' },
			{ initial_url: 'https://example.com/a?b=c' },
		],
		[
			'a custom model',
			{ model: 'custom', customModel: ' vendorc-4o ' },
			{ action_selection_model: 'vendorc-4o' },
		],
		['width', { browserConfig: { width: 320 } }, { browser_config: { width: 320 } }],
		['height', { browserConfig: { height: 4096 } }, { browser_config: { height: 4096 } }],
		[
			'a maximum duration',
			{ browserConfig: { maxDurationMinutes: 240 } },
			{ browser_config: { max_duration_minutes: 240 } },
		],
		[
			'an idle timeout',
			{ browserConfig: { idleTimeoutMinutes: 60 } },
			{ browser_config: { idle_timeout_minutes: 60 } },
		],
		[
			'a browser to be kept open',
			{ browserConfig: { keepBrowserOpen: true } },
			{ browser_config: { keep_browser_open: true } },
		],
		[
			'a browser not to be kept open',
			{ browserConfig: { keepBrowserOpen: false } },
			{ browser_config: { keep_browser_open: false } },
		],
		[
			"the user's profile",
			{ browserConfig: { useUserBrowserProfile: true } },
			{ browser_config: { use_user_browser_profile: true } },
		],
		[
			'several browser options',
			{ browserConfig: { width: 1280, height: 720, residentialIp: 'de' } },
			{ browser_config: { width: 1280, height: 720, residential_ip: 'de' } },
		],
		[
			'numbers and booleans that an expression gives as text',
			{ browserConfig: { width: '={{ " 1280 " }}', keepBrowserOpen: '={{ "true" }}' } },
			{ browser_config: { width: 1280, keep_browser_open: true } },
		],
		['no browser options', { browserConfig: {} }, {}],
		['a blank initial URL', { initialUrl: '  ' }, {}],
	])('puts %s into the body', async (_label, parameters, expected) => {
		const body = await bodySentFor(parameters);

		expect(body).toEqual({
			directive: 'Find the price',
			action_selection_model: DEFAULT_MODEL,
			...expected,
		});
	});

	it.each(MODELS.map(({ id }) => id))('sends the model %s', async (model) => {
		const body = await bodySentFor({ model });

		expect(body).toMatchObject({ action_selection_model: model });
	});

	it.each<[string, boolean | string]>([
		['disabled', false],
		['enabled', true],
		...['us', 'ca', 'gb', 'de', 'fr', 'au', 'jp', 'in', 'br', 'kr'].map(
			(country): [string, string] => [country, country],
		),
	])('sends the residential IP %s as %p', async (residentialIp, sent) => {
		const body = await bodySentFor({ browserConfig: { residentialIp } });

		expect(body).toMatchObject({ browser_config: { residential_ip: sent } });
	});

	it.each([
		'ws://localhost:9222/devtools/browser/1',
		'wss://browser.example.com/?token=abc',
		'http://127.0.0.1:9222',
		'https://browser.example.com',
	])("connects to the user's own browser at %s", async (cdpUrl) => {
		const body = await bodySentFor({ browser: 'own', cdpUrl });

		expect(body).toEqual({
			directive: 'Find the price',
			action_selection_model: DEFAULT_MODEL,
			cdp_url: cdpUrl,
		});
	});

	it("sends the live URL of the user's own browser, and no options of the service's", async () => {
		const body = await bodySentFor({
			browser: 'own',
			cdpUrl: ' wss://browser.example.com ',
			liveUrl: ' https://browser.example.com/live ',
			browserConfig: { width: 1280 },
		});

		expect(body).toEqual({
			directive: 'Find the price',
			action_selection_model: DEFAULT_MODEL,
			cdp_url: 'wss://browser.example.com',
			live_url: 'https://browser.example.com/live',
		});
	});

	it("sends no address that was left from an earlier choice of the user's own browser", async () => {
		const body = await bodySentFor({
			browser: 'service',
			cdpUrl: 'wss://browser.example.com',
			liveUrl: 'https://browser.example.com/live',
		});

		expect(body).toEqual({ directive: 'Find the price', action_selection_model: DEFAULT_MODEL });
	});

	it.each<[string, string, string]>([
		['an object', '={{ $json.task }}', '{"find":"price","of":["a","b"]}'],
		['a list', '={{ $json.task.of }}', '["a","b"]'],
		['a number', '={{ 42 }}', '42'],
	])('sends %s given for the directive as text', async (_label, directive, sent) => {
		await service.runAgent(
			{ directive, waitUntilFinished: false },
			{ input: [{ task: { find: 'price', of: ['a', 'b'] } }] },
		);

		const [start] = await service.requests({ endpoint: 'startAgent' });
		expect(start?.body).toMatchObject({ directive: sent });
	});

	it('takes model and browser from expressions', async () => {
		const body = await bodySentFor({
			model: '={{ "o" + "3" }}',
			browser: '={{ "service" }}',
			browserConfig: { width: 400 },
		});

		expect(body).toEqual({
			directive: 'Find the price',
			action_selection_model: 'o3',
			browser_config: { width: 400 },
		});
	});

	it('reads every field for each item', async () => {
		await service.runAgent(
			{
				directive: '={{ $json.task }}',
				browserConfig: { width: '={{ $json.width }}' },
				waitUntilFinished: false,
			},
			{
				input: [
					{ task: 'first', width: 400 },
					{ task: 'second', width: 500 },
				],
			},
		);

		const starts = await service.requests({ endpoint: 'startAgent' });
		expect(starts.map(({ body }) => body)).toMatchObject([
			{ directive: 'first', browser_config: { width: 400 } },
			{ directive: 'second', browser_config: { width: 500 } },
		]);
	});

	it('reaches a service under a path prefix, with /v1 in the address or without', async () => {
		await service.runAgent(
			{ waitUntilFinished: false },
			{ baseUrl: ` ${service.url}/prefix/v1/ ` },
		);

		const [request] = await service.requests();
		expect(request?.path).toBe('/prefix/v1/run_browser_agent');
	});
});

describe('what Agent: Run returns without waiting', () => {
	const service = useSandbox();

	it('is the job and its links, without asking for its status', async () => {
		const { items } = await service.runAgent({ waitUntilFinished: false });

		const [job] = await service.admin.jobs();
		expect(items).toEqual([
			{
				json: {
					job_id: job?.job_id,
					status: 'running',
					live_url: expect.stringContaining('view=live'),
					history_url: expect.stringContaining('http'),
					polling_url: `${service.url}/v1/get_job_status/${job?.job_id}`,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(await service.requests({ endpoint: 'getJob' })).toEqual([]);
	});

	it('leaves out what the service did not send', async () => {
		await service.admin.nextJob({
			startBody: { status: null, live_url: null, history_url: null, polling_url: null },
		});

		const { items } = await service.runAgent({ waitUntilFinished: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({ job_id: job?.job_id });
	});

	it('takes a job ID that is a number', async () => {
		await service.admin.nextJob({ startBody: { job_id: 4711 } });

		const { items } = await service.runAgent({ waitUntilFinished: false });

		expect(items[0]?.json.job_id).toBe('4711');
	});

	it("holds the service's whole answer when Simplify is off", async () => {
		const { items } = await service.runAgent({ waitUntilFinished: false, simplify: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'running',
			response: {
				job_id: job?.job_id,
				status: 'running',
				live_url: expect.any(String),
				cdp_url: expect.stringContaining('wss://'),
				history_url: expect.any(String),
				polling_url: expect.any(String),
			},
		});
	});

	it('never shows the address of a browser when Simplify is on', async () => {
		const { items } = await service.runAgent({
			browser: 'own',
			cdpUrl: 'wss://browser.example.com/?token=very-secret',
			waitUntilFinished: false,
		});

		expect(JSON.stringify(items)).not.toContain('very-secret');
	});
});

describe('what Agent: Run returns after waiting', () => {
	const service = useSandbox();

	it('is the finished job', async () => {
		await service.admin.nextJob({ output: 'It costs 20', durationSeconds: 3, steps: 2 });

		const { items, status } = await service.runAgent();

		const [job] = await service.admin.jobs();
		expect(status).toBe('success');
		expect(items).toEqual([
			{
				json: {
					job_id: job?.job_id,
					status: 'completed',
					output: 'It costs 20',
					credits_used: 10,
					live_url: expect.stringContaining('view=live'),
					history_url: expect.stringContaining('http'),
					duration_seconds: expect.any(Number),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('tells how long the job took from its start', async () => {
		await service.admin.nextJob({ durationSeconds: 10 });

		const { items } = await service.runAgent();

		const duration = items[0]?.json.duration_seconds as number;
		expect(duration).toBeGreaterThanOrEqual(10);
		expect(duration).toBeLessThan(120);
	});

	it.each<[string, object]>([
		['absent', { omitFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
		['null', { nullFields: ['output', 'error', 'credits_used', 'live_url', 'history_url'] }],
	])('leaves out what is %s in the answer', async (_label, script) => {
		await service.admin.nextJob({ statuses: ['completed'], ...script });

		const { items } = await service.runAgent();

		expect(items[0]?.json).toEqual({
			job_id: expect.any(String),
			status: 'completed',
			duration_seconds: expect.any(Number),
			is_finished: true,
			live_url: expect.any(String),
			history_url: expect.any(String),
		});
	});

	it('knows the job by the start when the status answer has no job ID', async () => {
		await service.admin.nextJob({ statuses: ['completed'], omitFields: ['job_id'] });

		const { items } = await service.runAgent();

		const [job] = await service.admin.jobs();
		expect(items[0]?.json.job_id).toBe(job?.job_id);
	});

	it("holds the service's last answer whole when Simplify is off", async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'Done' });

		const { items } = await service.runAgent({ simplify: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'completed',
			response: expect.objectContaining({
				job_id: job?.job_id,
				status: 'completed',
				output: 'Done',
				error: null,
				cdp_url: expect.stringContaining('wss://'),
			}),
		});
	});

	it('shows the address of a browser only when Simplify is off', async () => {
		const { items } = await service.runAgent();

		expect(JSON.stringify(items)).not.toContain('wss://');
	});

	it('keeps an output that is an object', async () => {
		await service.admin.nextJob({ statuses: ['completed'], output: { prices: [1, 2] } });

		const { items } = await service.runAgent();

		expect(items[0]?.json.output).toEqual({ prices: [1, 2] });
	});

	it("calls the service's error job_error, so that n8n does not take the item for a failure", async () => {
		await service.admin.nextJob({
			statuses: ['completed'],
			output: 'Nearly all of it',
			error: 'One page did not load',
		});

		const { items } = await service.runAgent({}, { settings: { retryOnFail: true, maxTries: 3 } });

		expect(items[0]?.json).toMatchObject({
			output: 'Nearly all of it',
			job_error: 'One page did not load',
		});
		expect(items[0]?.json).not.toHaveProperty('error');
		expect((await service.admin.counters()).starts).toBe(1);
	});
});

describe('how long Agent: Run waits when Max Wait Minutes is not set', () => {
	const service = useSandbox({ timeScale: 1, limits: 'off' });

	it.each<[string, INodeParameters, number]>([
		["the job's own maximum plus 5 minutes", { browserConfig: { maxDurationMinutes: 1 } }, 6],
		['35 minutes when the job has no maximum of its own', {}, 35],
	])('is %s', async (_label, parameters, minutes) => {
		setClock(steadyClock(6_000));
		await service.admin.nextJob(['running']);

		const { error } = await service.runAgent(parameters);

		const [job] = await service.admin.jobs();
		expect(error?.message).toContain(`Job ${job?.job_id} `);
		expect(error?.message).toMatch(new RegExp(` ${minutes} minutes$`));
	});
});

describe('when the service does not start the job', () => {
	const service = useSandbox();

	it.each<[string, Partial<FaultCase>, string, string]>([
		[
			'400',
			{ status: 400, body: { detail: 'The directive is too vague', status_code: 400 } },
			'The service did not accept the request: The directive is too vague',
			"Check the node's parameters.",
		],
		[
			'401',
			{ status: 401, body: { detail: 'The API key has expired', status_code: 401 } },
			'The service did not accept the API key',
			"Check 'API Key' in the Browser Agent API credential, or create a new key in the settings of the service's web platform. The service says: The API key has expired",
		],
		[
			'402',
			{ status: 402, body: { detail: 'The account has no credits left', status_code: 402 } },
			'The account has too few credits to start a job',
			"Nothing was started. Add credits in the service's web platform, or choose a model with fewer credits per step. The service says: The account has no credits left",
		],
		[
			'403',
			{ status: 403, body: { detail: 'No permission', status_code: 403 } },
			'The API key has no permission for this',
			'Use a key with the permission, or ask the owner of the account. The service says: No permission',
		],
		[
			'404',
			{ status: 404, body: '<html><title>Not here</title></html>', contentType: 'text/html' },
			'The service has nothing at this address',
			`Check 'Base URL' in the Browser Agent API credential. The service says: a web page titled "Not here"`,
		],
		[
			'422',
			{
				status: 422,
				body: {
					detail: [
						{ loc: ['body', 'browser_config', 'width'], msg: 'too wide', type: 'x' },
						{ loc: ['body', 'initial_url'], msg: 'not a URL', type: 'x' },
					],
				},
			},
			"The service did not accept 'Width': too wide; 'Initial URL': not a URL",
			'Change the parameters named here and run the node again.',
		],
	])('a %s is told in words of its own', async (_status, fault, message, description) => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', ...fault });

		const { error, items } = await service.runAgent();

		expect(error).toMatchObject({ message, description, context: { itemIndex: 0 } });
		expect(items).toEqual([]);
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('says so when nobody answers at the address', async () => {
		const { error } = await service.runAgent({}, { baseUrl: 'http://127.0.0.1:1' });

		expect(error?.message).toBe('The service could not be reached: the connection was refused');
		expect(error?.description).toContain("'Base URL'");
	});

	it('does not follow a redirect, and says where the address is wrong', async () => {
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'redirect',
			status: 307,
			location: `${service.url}/v1/run_browser_agent`,
		});

		const { error } = await service.runAgent();

		expect(error?.message).toBe(
			'The service answered with a redirect (HTTP 307), which is not followed',
		);
		expect(await service.requests()).toHaveLength(1);
	});

	it('never repeats the key or the address of a browser', async () => {
		const cdpUrl = 'wss://browser.example.com/?token=very-secret';
		await service.admin.fault({
			endpoint: 'startAgent',
			kind: 'status',
			status: 400,
			body: { detail: `No browser at ${cdpUrl} for sandbox-pro-key` },
		});

		const { error } = await service.runAgent({ browser: 'own', cdpUrl });

		expect(error?.message).toBe(
			'The service did not accept the request: No browser at [hidden] for [hidden]',
		);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/very-secret|sandbox-pro-key/);
	});
});

describe('Minimum Credits of Agent: Run', () => {
	const service = useSandbox();

	it('lets nothing start when the account has fewer', async () => {
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { error } = await service.runAgent({ options: { minimumCredits: 100 } });

		expect(error?.message).toBe(
			"The account has 99 credits, fewer than 'Minimum Credits' (100), so nothing was started",
		);
		expect(await service.requests({ endpoint: 'startAgent' })).toEqual([]);
	});

	it('lets the job start when the account has just enough', async () => {
		await service.admin.setCredits('sandbox-pro-key', 100);

		const { items } = await service.runAgent({ options: { minimumCredits: 100 } });

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is always met by an unlimited account', async () => {
		const { items } = await service.runAgent(
			{ options: { minimumCredits: 1_000_000 } },
			{ apiKey: 'sandbox-enterprise-key' },
		);

		expect(items[0]?.json.status).toBe('completed');
	});

	it('is checked once, before the first of several items starts', async () => {
		await service.runAgent(
			{ waitUntilFinished: false, options: { minimumCredits: '={{ $json.credits }}' } },
			{ input: [{ credits: 5 }, { credits: 10 }, { credits: 7 }] },
		);

		const requests = await service.requests();
		expect(requests.map(({ endpoint }) => endpoint)).toEqual([
			'getCreditBalance',
			'startAgent',
			'startAgent',
			'startAgent',
		]);
	});

	it('is the highest of what the items ask for', async () => {
		await service.admin.setCredits('sandbox-pro-key', 50);

		const { error } = await service.runAgent(
			{ options: { minimumCredits: '={{ $json.credits }}' } },
			{ input: [{ credits: 5 }, { credits: 51 }] },
		);

		expect(error?.message).toContain("fewer than 'Minimum Credits' (51)");
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('is not asked for when it is not set', async () => {
		await service.runAgent({ waitUntilFinished: false });

		expect(await service.requests({ endpoint: 'getCreditBalance' })).toEqual([]);
	});

	it.each<[string, FaultCase]>([
		['is refused', { kind: 'status', status: 500 }],
		['breaks off', { kind: 'reset' }],
		['has no number in it', { kind: 'body', body: { plan: 'pro', credit_balance: null } }],
	])('lets nothing start when the question for the credits %s', async (_label, fault) => {
		await service.admin.fault({
			endpoint: 'getCreditBalance',
			times: 'always',
			...fault,
		});

		const { error } = await service.runAgent({ options: { minimumCredits: 1 } });

		expect(error?.message).toMatch(
			/^The account's credits could not be read, so nothing was started/,
		);
		expect(await service.admin.jobs()).toEqual([]);
	});
});

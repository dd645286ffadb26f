import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';

import type { Settings } from '../../local-service/settings';
import { JobFailure } from '../../local-service/JobFailure';
import { readSecrets } from '../../local-service/secrets';
import { waitFor } from '../support/waitFor';
import { FakeEngine } from './support/fakeEngine';
import { settle } from './support/FakeClock';
import { callApi, useServices } from './support/useService';

const START = '/v1/run_browser_agent';
const MODELS: Settings['models'] = [
	{ provider: 'local', name: 'first', label: 'local/first' },
	{ provider: 'local', name: 'maker/second', label: 'local/maker/second' },
];

describe('the local service', () => {
	const services = useServices();

	async function given(changes: Partial<Settings> = {}) {
		const engine = new FakeEngine();
		const lines: string[] = [];
		const settings = { models: MODELS, ...changes };
		const service = await services.start(settings, {
			engine,
			writeLog: (line) => lines.push(line),
		});
		const call = async (...[path_, options]: [string, Parameters<typeof callApi>[2]?]) =>
			await callApi(service, path_, options);
		const start = async (body: Record<string, unknown> = {}) =>
			await call(START, { body: { directive: 'Find the price', ...body } });
		const status = async (id: unknown) => (await call(`/v1/get_job_status/${String(id)}`)).json;
		return { engine, service, lines, call, start, status };
	}

	it('answers a start as documented, and polls with what is true', async () => {
		const { service, start, status, engine } = await given({ url: 'https://agent.example' });
		const { json } = await start();
		const id = String(json.job_id);
		expect(json).toEqual({
			job_id: id,
			status: 'running',
			live_url: expect.stringMatching(`^https://agent.example/live/${id}/[\\w-]{32}$`) as string,
			cdp_url: null,
			history_url: expect.stringMatching(
				`^https://agent.example/history/${id}/[\\w-]{32}$`,
			) as string,
			polling_url: `${service.url}/v1/get_job_status/${id}`,
		});
		await waitFor(() => expect(engine.ends).toHaveLength(1));
		engine.ends[0]?.resolve({ price: 10 });
		await settle();
		expect(await status(id)).toMatchObject({
			status: 'completed',
			output: { price: 10 },
			error: null,
			live_url: null,
		});
	});

	it.each([
		[{ directive: ' ' }, 400, 'The directive is blank'],
		[{ initial_url: 'file:///etc/passwd' }, 400, 'initial_url must be a whole address'],
		[{ initial_url: 'shop.example' }, 400, 'initial_url must be a whole address'],
		[{ cdp_url: '127.0.0.1:9222' }, 400, 'cdp_url must be a whole address'],
		[{ cdp_url: 'file:///x' }, 400, 'cdp_url must be a whole address'],
		[{ browser_config: { residential_ip: true } }, 400, 'residential_ip must be false'],
		[{ browser_config: { residential_ip: 'de' } }, 400, 'residential_ip must be false'],
		[
			{ action_selection_model: 'gpt-4' },
			400,
			'choose Service Default, or Custom with one of local/first, local/maker/second',
		],
	])('refuses %j with the error of the document', async (body, status, detail) => {
		const { start, engine } = await given();
		const answer = await start(body);
		expect(answer.status).toBe(status);
		expect(answer.json).toEqual({
			detail: expect.stringContaining(detail) as string,
			status_code: status,
		});
		expect(engine.requests).toEqual([]);
	});

	it.each([
		[{ browser_config: { width: 100 } }],
		[{ browser_config: { max_duration_minutes: 241 } }],
		[{ directive: 7 }],
	])('answers 422 to %j', async (body) => {
		const { start } = await given();
		expect(await start(body)).toMatchObject({ status: 422 });
	});

	it.each([
		[undefined, 'local/first'],
		[null, 'local/first'],
		['local/maker/second', 'local/maker/second'],
		['maker/second', 'local/maker/second'],
		['o3', 'local/first'],
	])('gives a job with the model %s to %s', async (model, label) => {
		const { start, engine, lines } = await given();
		await start({ action_selection_model: model });
		await waitFor(() => expect(engine.models).toEqual([label]));
		const asked = model === 'o3' ? " (for 'o3')" : '';
		expect(lines.join()).toContain(`started: agent, model ${label}${asked}`);
	});

	it('passes the options of a browser on', async () => {
		const { start, engine, service } = await given();
		const { json } = await start({
			initial_url: 'https://shop.example/',
			browser_config: {
				width: 800,
				height: 600,
				keep_browser_open: true,
				use_user_browser_profile: true,
			},
		});
		await waitFor(() => expect(engine.tasks).toHaveLength(1));
		expect(engine.requests).toEqual([
			{
				width: 800,
				height: 600,
				keepOpen: true,
				profileFolder: path.join(service.dataFolder, 'profile'),
				downloadFolder: path.join(service.dataFolder, 'jobs', String(json.job_id), 'files'),
				ownCdpUrl: undefined,
			},
		]);
		expect(engine.tasks[0]).toMatchObject({
			directive: 'Find the price',
			initialUrl: 'https://shop.example/',
		});
	});

	it("counts none of the options with a browser of the user's own", async () => {
		const { start, status, engine } = await given();
		const { json } = await start({
			cdp_url: 'ws://browser.example:9222/devtools/browser/1',
			live_url: 'https://browser.example/live',
			browser_config: {
				keep_browser_open: true,
				use_user_browser_profile: true,
				residential_ip: true,
			},
		});
		expect(json).toMatchObject({
			live_url: 'https://browser.example/live',
			cdp_url: 'ws://browser.example:9222/devtools/browser/1',
		});
		await waitFor(() => expect(engine.requests).toHaveLength(1));
		expect(engine.requests[0]).toMatchObject({
			ownCdpUrl: 'ws://browser.example:9222/devtools/browser/1',
			keepOpen: false,
			profileFolder: undefined,
		});
		engine.ends[0]?.resolve('done');
		await settle();
		expect(await status(json.job_id)).toMatchObject({
			status: 'completed',
			cdp_url: 'ws://browser.example:9222/devtools/browser/1',
		});
	});

	it('has the address of a browser that is kept open from running on', async () => {
		const { start, status, engine } = await given();
		const { json } = await start({ browser_config: { keep_browser_open: true } });
		await waitFor(() => expect(engine.ends).toHaveLength(1));
		const cdp = { cdp_url: 'ws://127.0.0.1:9001/devtools/browser/1' };
		expect(await status(json.job_id)).toMatchObject({ status: 'running', ...cdp });
		expect(await start({ cdp_url: cdp.cdp_url })).toMatchObject({ status: 429 });
		engine.ends[0]?.resolve('done');
		await settle();
		expect(await status(json.job_id)).toMatchObject({ status: 'completed', ...cdp });
		await start({ cdp_url: cdp.cdp_url });
		await waitFor(() => expect(engine.tasks).toHaveLength(2));
		expect(engine.requests).toHaveLength(1);
	});

	it.each([
		["the user's own browser", 0, { cdp_url: 'ws://browser.example:9222/devtools/browser/1' }],
		['a browser of the service', 1, {}],
	])('hides all secrets in %s, and lets %i of one be filled in', async (_label, count, body) => {
		const secrets = readSecrets({ SECRET_SHOP_PASSWORD: 'shop.example|correct-horse' });
		const { start, engine } = await given({ secrets });
		await start(body);
		await waitFor(() => expect(engine.tasks).toHaveLength(1));

		expect(engine.tasks[0]?.settings.secrets).toEqual(secrets);
		expect(engine.tasks[0]?.secrets).toHaveLength(count);
	});

	it('refuses a start beyond its places with a 429 without Retry-After', async () => {
		const { start } = await given({ maxJobs: 1 });
		await start();
		const refused = await start();
		expect(refused.status).toBe(429);
		expect(refused.headers.get('retry-after')).toBeNull();
		expect(refused.json).toMatchObject({ detail: 'SERVICE_MAX_JOBS is reached: 1 job at a time' });
	});

	it('logs why it refuses starts, once for each reason, and not what is wrong with a request', async () => {
		const { start, lines } = await given({ maxJobs: 1 });
		await start({ initial_url: 'nonsense' });
		for (let count = 0; count < 4; count++) await start();

		const refused = lines.filter((line) => line.includes('refused'));
		expect(refused.map((line) => line.replace(/^\S+ /, ''))).toEqual([
			'start refused: SERVICE_MAX_JOBS is reached: 1 job at a time',
		]);
	});

	it('logs a defect that a client sees only as a 500', async () => {
		const { service, start, lines } = await given();
		jest.spyOn(service.jobs, 'start').mockImplementation(() => {
			throw new Error('a defect');
		});

		expect((await start()).status).toBe(500);
		expect(lines.join('\n')).toMatch(/internal error: Error: a defect\n +at /);
	});

	it('pauses and resumes as the sandbox does', async () => {
		const { start, status, call, engine } = await given();
		const id = String((await start()).json.job_id);
		await waitFor(() => expect(engine.tasks).toHaveLength(1));
		const post = async (action: string) =>
			await call(`/v1/${action}_job/${id}`, { method: 'POST' });
		expect(await post('resume')).toMatchObject({ status: 400 });
		expect(await post('pause')).toMatchObject({ status: 200, json: { status: 'success' } });
		expect(await status(id)).toMatchObject({ status: 'paused' });
		expect(await post('pause')).toMatchObject({ status: 400 });
		expect(await post('resume')).toMatchObject({
			status: 200,
			json: { status: 'success', data: { job_id: id, status: 'running' } },
		});
	});

	it('sends files as attachments that are never shown as its pages', async () => {
		const { start, call, engine, service } = await given();
		const id = String((await start()).json.job_id);
		await waitFor(() => expect(engine.tasks).toHaveLength(1));
		const file = path.join(service.dataFolder, 'jobs', id, 'files', 'f1');
		writeFileSync(file, '<script>');
		const downloads = engine.browsers[0]?.downloads;
		const contentType = 'application/octet-stream';
		downloads?.push({ filename: "Ärger 'n.html", path: file, size: 8, contentType });
		expect((await call(`/v1/get_job_files/${id}`)).json).toMatchObject({ file_count: 0 });
		engine.ends[0]?.resolve('done');
		await settle();

		const { json } = await call(`/v1/get_job_files/${id}`);
		expect(json).toMatchObject({
			file_count: 1,
			files: [{ filename: "Ärger 'n.html", expires_in: 3600 }],
		});
		const [listed] = json.files as { download_url: string }[];
		expect(listed?.download_url.startsWith(`${service.url}/files/${id}/0?`)).toBe(true);
		const response = await fetch(listed?.download_url ?? '');
		expect(await response.text()).toBe('<script>');
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'content-type': contentType,
			'content-disposition': "attachment; filename*=UTF-8''%C3%84rger%20%27n.html",
			'content-security-policy': 'sandbox',
			'x-content-type-options': 'nosniff',
			'content-length': '8',
		});
	});

	it('has unlimited credits without a limit', async () => {
		const { call } = await given();
		expect((await call('/v1/get_credit_balance')).json).toMatchObject({
			plan: 'enterprise',
			unlimited: true,
			credit_balance: null,
			next_reset: null,
		});
	});

	it('charges a step, and refuses a start without credits', async () => {
		const { start, status, call, engine } = await given({ credits: 1, maxJobs: 5 });
		const { json } = await start();
		await waitFor(() => expect(engine.tasks).toHaveLength(1));
		engine.tasks[0]?.charge({ inputTokens: 10 });
		expect((await call('/v1/get_credit_balance')).json).toMatchObject({
			plan: 'pro',
			unlimited: false,
			credit_balance: 0,
			next_reset: expect.stringMatching(/^\d{4}-.*Z$/) as string,
		});
		expect(await start()).toMatchObject({ status: 402 });
		expect(() => engine.tasks[0]?.charge({})).toThrow(JobFailure);
		engine.ends[0]?.reject(new JobFailure('The account ran out of credits'));
		await settle();
		expect(await status(json.job_id)).toMatchObject({
			status: 'failed',
			error: 'The account ran out of credits',
			credits_used: 1,
		});
	});

	describe('runs a saved workflow', () => {
		const INVOICE = {
			directive: 'Download the invoice of {{vendor}}',
			initial_url: 'https://shop.example/',
			inputs: [{ name: 'vendor', required: true }],
		};

		async function givenWorkflow(content: unknown = INVOICE) {
			const played = await given();
			const file = path.join(played.service.dataFolder, 'workflows', 'invoice.json');
			writeFileSync(file, JSON.stringify(content));
			const run = async (payload?: string, id = 'invoice') =>
				await played.call(`/workflows/run-with-payload/${id}`, { body: { payload } });
			return { ...played, run };
		}

		it.each([
			['a JSON object', '{"vendor": "Acme"}', 'Acme'],
			['a text that the model maps', 'the one of Globex, please', 'Globex'],
		])('by %s', async (_how, payload, vendor) => {
			const { run, engine, status } = await givenWorkflow();
			engine.mapped = { vendor: 'Globex' };
			const { json } = await run(payload);
			expect(json).toMatchObject({ status: 'success', workflow_id: 'invoice' });
			await waitFor(() => expect(engine.tasks).toHaveLength(1));
			expect(engine.tasks[0]).toMatchObject({
				directive: `Download the invoice of ${vendor}`,
				initialUrl: 'https://shop.example/',
			});
			expect(await status(json.job_id)).toMatchObject({
				directive: `Download the invoice of ${vendor}`,
			});
		});

		it('and fails it with a sentence without a required input', async () => {
			const { run, status, engine } = await givenWorkflow();
			const { json } = await run('{}');
			await waitFor(async () =>
				expect(await status(json.job_id)).toMatchObject({
					status: 'failed',
					error: "The payload has no value for the required input 'vendor'",
				}),
			);
			expect(engine.tasks).toEqual([]);
		});

		it('but not one that is not there', async () => {
			const { run } = await givenWorkflow();
			expect(await run('{}', 'other')).toMatchObject({ status: 404 });
			expect(await run('{}', '..%2fkey')).toMatchObject({ status: 404 });
		});

		it('but not a file that is none, which answer and log name', async () => {
			const { run, lines } = await givenWorkflow({ task: 'x' });
			const { status, json } = await run('{}');
			expect(status).toBe(400);
			expect(json.detail).toContain("The file 'workflows/invoice.json' is no workflow");
			expect(lines.join()).toContain("The file 'workflows/invoice.json' is no workflow");
		});
	});

	it.each([
		['127.0.0.1', true],
		['localhost', true],
		['service', true],
		['agent.example', true],
		['evil.example', false],
	])('answers a request with the Host %s: %s', async (name, isOwn) => {
		const { service } = await given({ ownHosts: ['service'], url: 'https://agent.example' });
		const { port } = new URL(service.url);
		const host = name === 'agent.example' ? name : `${name}:${port}`;
		const status = await new Promise((resolve, reject) => {
			const sent = request(`${service.url}/v1/health`, { headers: { host } }, ({ statusCode }) =>
				resolve(statusCode),
			);
			sent.on('error', reject).end();
		});
		expect(status).toBe(isOwn ? 200 : 403);
	});

	it("refuses a key that is not the service's", async () => {
		const { service } = await given();
		const answer = await callApi({ ...service, apiKey: 'other' }, '/v1/get_credit_balance');
		expect(answer.status).toBe(401);
	});

	it('tells of a full disk at the start of a job', async () => {
		const { start, service } = await given();
		const tmp = path.join(service.dataFolder, 'tmp');
		rmSync(tmp, { recursive: true });
		writeFileSync(tmp, '');
		const { status, json } = await start();
		// Proof for the client that nothing was started.
		expect(status).toBe(429);
		expect(json.detail).toMatch(/^The service could not write to its data folder/);
	});
});

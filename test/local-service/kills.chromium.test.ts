import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { ServiceProcess } from '../../dev/localService/ServiceProcess';
import { waitFor } from '../support/waitFor';
import { processesWith } from './support/processesWith';
import { serviceSettings } from './support/serviceSettings';
import { type ModelAction, refOf, type Shown, useModelServer } from './support/useModelServer';
import { callApi } from './support/useService';
import { PASSWORD, useShop } from './support/useShop';

const STOPPED = 'The service was stopped while the job was running';
const CREDITS = 100;
/** Nine browsers are started, on a busy machine one after the other. */
const START_LIMIT_MS = 400_000;

type Client = Awaited<ReturnType<ServiceProcess['started']>>;

/** What jobs are doing when the service is killed: their directives. All but the last have a file. */
const STATES = [
	'thinking',
	'acting',
	'downloading',
	'paused',
	'taken over',
	'log in',
	'provisioning',
];

const model = useModelServer();
const shop = useShop();
const folder = serviceSettings().dataFolder;
/** Longer than a busy machine takes for this test. */
const LONG = { max_duration_minutes: 120, idle_timeout_minutes: 60 };
/** How often the model was asked, by the directive of the job. */
const questions = new Map<string, number>();
const running = new Set<ServiceProcess>();
afterAll(() => {
	for (const service of running) service.kill('SIGKILL');
});

async function startService() {
	const service = new ServiceProcess({
		MODELS: 'local/scripted',
		MODEL_BASE_URL: model.url,
		SERVICE_PORT: '0',
		SERVICE_DATA: folder,
		SERVICE_CREDITS: String(CREDITS),
		SERVICE_MAX_JOBS: '8',
		CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
		AGENT_ALLOWED_HOSTS: shop.host,
	});
	running.add(service);
	return { service, client: await service.started() };
}

/** Ends a service, and waits until its browsers have noticed. */
async function kill(service: ServiceProcess): Promise<void> {
	service.kill('SIGKILL');
	await service.ended();
	running.delete(service);
	await waitFor(() => expect(browsers()).toEqual([]), 20_000);
}

const browsers = () => processesWith(`--user-data-dir=${folder}`);

async function startJob(
	client: Client,
	directive: string,
	{ browser_config: config = {}, ...more }: { browser_config?: object; initial_url?: string } = {},
): Promise<string> {
	const body = {
		directive,
		initial_url: shop.url,
		...more,
		browser_config: { ...LONG, ...config },
	};
	const { json } = await callApi(client, '/v1/run_browser_agent', { body });
	expect(json).toMatchObject({ status: 'running' });
	return String(json.job_id);
}

async function statusOf(client: Client, id: string) {
	return (await callApi(client, `/v1/get_job_status/${id}`)).json;
}

/** Waits for the status on disk, since the API has a rate limit. */
async function become(id: string, status: string): Promise<void> {
	const file = path.join(folder, 'jobs', id, 'record.json');
	await waitFor(() => expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ status }));
}

/** The name of the job whose model is asked. */
function directiveOf({ messages }: Shown): string {
	return String(messages.find(({ role }) => role === 'user')?.content);
}

/** Downloads the report first; then does what its directive says. */
function script(shown: Shown): ModelAction {
	const { page } = shown;
	const directive = directiveOf(shown);
	questions.set(directive, (questions.get(directive) ?? 0) + 1);
	if (directive === 'log in') return logIn(page);
	if (questions.get(directive) === 1) {
		return { call: 'click', input: { ref: refOf(page, 'link "Report"') } };
	}
	if (directive === 'acting') return { call: 'navigate', input: { url: `${shop.url}/slow` } };
	if (directive === 'kept open') return { call: 'done', input: { output: 'All is well' } };
	if (directive !== 'downloading') return 'silence';
	return questions.get(directive) === 2
		? { call: 'navigate', input: { url: `${shop.url}/slow.bin` } }
		: { call: 'done', input: { output: 'Never told' } };
}

/** Logs in at the shop, which gives a session cookie, and thinks. */
function logIn(page: string): ModelAction {
	switch (questions.get('log in')) {
		case 1:
			return { call: 'type', input: { ref: refOf(page, 'textbox "User"'), text: 'ada' } };
		case 2:
			return {
				call: 'type',
				input: { ref: refOf(page, 'textbox "Password"'), text: PASSWORD, submit: true },
			};
		default:
			return 'silence';
	}
}

/** Starts a job for each state, and waits until each is in it. */
async function startAll(client: Client): Promise<Map<string, string>> {
	const jobs = new Map<string, string>();
	const start = async (directive: string, more?: Parameters<typeof startJob>[2]) => {
		jobs.set(directive, await startJob(client, directive, more));
	};
	await start('kept open', { browser_config: { keep_browser_open: true } });
	await become(jobs.get('kept open')!, 'completed');

	const login = `${shop.url}/login`;
	await start('log in', { initial_url: login, browser_config: { use_user_browser_profile: true } });
	for (const state of ['thinking', 'acting', 'downloading', 'paused', 'taken over']) {
		await start(state);
		await waitFor(() => expect(questions.get(state)).toBeGreaterThan(1));
	}
	await waitFor(() => {
		expect(questions.get('downloading')).toBe(3);
		expect(questions.get('log in')).toBe(3);
		expect(shop.requests).toContain('GET /slow');
	});

	await callApi(client, `/v1/pause_job/${jobs.get('paused')}`, { method: 'POST' });
	const { live_url: liveUrl } = await statusOf(client, jobs.get('taken over')!);
	const { pathname } = new URL(String(liveUrl));
	await callApi(client, `${pathname}/take-over`, { body: {} });
	await become(jobs.get('paused')!, 'paused');
	await become(jobs.get('taken over')!, 'user_taken_over');
	await start('provisioning');
	return jobs;
}

describe('A service that is killed', () => {
	let jobs: Map<string, string>;
	let keptAddress: URL;
	let client: Client;
	/** What each job had cost, and the balance, before the kill. */
	const before = new Map<string, Awaited<ReturnType<typeof statusOf>>>();

	beforeAll(async () => {
		model.does(script);
		const { service, client: killed } = await startService();
		jobs = await startAll(killed);
		for (const [state, id] of jobs) before.set(state, await statusOf(killed, id));
		keptAddress = new URL(String(before.get('kept open')?.cdp_url));
		await kill(service);

		// As in a new container: the profile was open on a machine of another name.
		const lock = path.join(folder, 'profile', 'SingletonLock');
		rmSync(lock, { force: true });
		symlinkSync('another-container-17', lock);
		({ client } = await startService());
	}, START_LIMIT_MS);

	it.each(STATES)('has failed the job that was %s, with its credits', async (state) => {
		const { credits_used } = before.get(state)!;
		expect(await statusOf(client, jobs.get(state)!)).toMatchObject({
			status: 'failed',
			error: STOPPED,
			credits_used,
			live_url: null,
			cdp_url: null,
		});
	});

	it.each(STATES.slice(0, 5))('keeps file and history of the job that was %s', async (state) => {
		const id = jobs.get(state)!;
		const { json } = await callApi(client, `/v1/get_job_files/${id}`);
		const [file] = json.files as { filename: string; download_url: string }[];
		expect(file?.filename).toBe('report 2024.csv');
		expect(await (await fetch(file!.download_url)).text()).toBe('tool,price\nHammer,10\n');

		const steps = readFileSync(path.join(folder, 'jobs', id, 'history', 'steps.jsonl'), 'utf8');
		expect(steps.trim().split('\n').length).toBeGreaterThan(1);
		const { history_url: url } = await statusOf(client, id);
		expect(await (await fetch(String(url))).text()).toContain('Clicked link');
	});

	it('keeps the output of the job whose browser was kept open, without the address', async () => {
		expect(await statusOf(client, jobs.get('kept open')!)).toMatchObject({
			status: 'completed',
			output: 'All is well',
			cdp_url: null,
		});
		await expect(fetch(`http://${keptAddress.host}/json`)).rejects.toThrow('fetch failed');
	});

	it('has taken each credit once', async () => {
		const used = [...before.values()].map((status) => Number(status.credits_used));
		const { credit_balance } = await statusOf(client, jobs.get('thinking')!);
		expect(credit_balance).toBe(CREDITS - used.reduce((sum, count) => sum + count));
	});

	it('leaves neither browser nor lock nor temporary files behind', () => {
		expect(browsers()).toEqual([]);
		expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
		expect(readdirSync(folder).filter((name) => name.startsWith('lock-'))).toHaveLength(1);
	});

	it('keeps the login of the profile, whose cookie lasts a session', async () => {
		model.does(({ page }) => ({
			call: 'done',
			input: { output: page.includes('Hello ada') ? 'kept' : 'lost' },
		}));
		const more = {
			initial_url: `${shop.url}/account`,
			browser_config: { use_user_browser_profile: true },
		};
		const id = await startJob(client, 'look', more);
		await become(id, 'completed');
		expect(await statusOf(client, id)).toMatchObject({ output: 'kept' });
	});
});

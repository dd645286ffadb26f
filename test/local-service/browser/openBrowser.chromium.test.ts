import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { chromium } from 'playwright-core';

import { findChromium } from '../../../local-service/browser/chromium';
import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import { memoryOfGroup } from '../../../local-service/browser/memoryOfGroup';
import { type BrowserRequest, openBrowser } from '../../../local-service/browser/openBrowser';
import type { Settings } from '../../../local-service/settings';
import { waitFor } from '../../support/waitFor';
import { processesWith } from '../support/processesWith';
import { serviceSettings } from '../support/serviceSettings';
import { PASSWORD, useShop } from '../support/useShop';

/** On a busy machine. */
const LONG_MS = 30_000;

const shop = useShop();
let settings: Settings;
let opened: JobBrowser[];

beforeEach(() => {
	settings = serviceSettings({ allowedHosts: [shop.host] });
	opened = [];
});
afterEach(async () => {
	await Promise.all(opened.map(async (browser) => await browser.close()));
});

async function open(
	request: Partial<BrowserRequest> = {},
	signal = new AbortController().signal,
): Promise<JobBrowser> {
	const downloadFolder = await mkdtemp(path.join(settings.dataFolder, 'files-'));
	const whole = { width: 800, height: 600, keepOpen: false, downloadFolder, ...request };
	const browser = await openBrowser(whole, settings, signal);
	opened.push(browser);
	return browser;
}

async function logIn(browser: JobBrowser): Promise<void> {
	const page = browser.page();
	await page.goto(`${shop.url}/login`);
	await page.getByLabel('User').fill('ada');
	await page.getByLabel('Password').fill(PASSWORD);
	await page.getByRole('button').click();
	await page.waitForURL(`${shop.url}/account`);
}

async function titleOf(browser: JobBrowser, address: string): Promise<string> {
	await browser.page().goto(`${shop.url}${address}`);
	return await browser.page().title();
}

/** The command lines of what a process has started, directly or not. */
function childrenOf(id: number): string[] {
	const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
	const found = new Map([[id, '']]);
	for (const line of lines) {
		const [pid, parent] = line.trim().split(/ +/, 2).map(Number);
		if (found.has(parent!)) found.set(pid!, line);
	}
	return [...found.values()];
}

/** Of the only browser. */
function memoryNeeded(): number {
	const [main] = processesWith(settings.dataFolder);
	return memoryOfGroup(main!);
}

/** What is left of browsers: processes, and their folders. */
function leftovers() {
	const homes = path.join(settings.dataFolder, 'tmp');
	return {
		processes: processesWith(settings.dataFolder),
		homes: readdirSync(settings.dataFolder).includes('tmp') ? readdirSync(homes) : [],
	};
}

const NOTHING = { processes: [], homes: [] };

describe('A launched browser', () => {
	it('has the size of the request, and pictures of that size', async () => {
		const browser = await open({ width: 640, height: 480 });
		await browser.page().goto(shop.url);
		const picture = await browser.screenshot();

		expect(browser.page().viewportSize()).toEqual({ width: 640, height: 480 });
		expect(picture?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
	});

	it('knows nothing of another job, not even at the same time', async () => {
		const [one, other] = await Promise.all([open(), open()]);
		await logIn(one);

		expect(await titleOf(other, '/account')).toBe('Log in');
		expect(await titleOf(one, '/account')).toBe('Account');
	});

	it('leaves nothing when it is closed, also twice', async () => {
		const browser = await open();
		expect(leftovers().processes).not.toEqual([]);
		await Promise.all([browser.close(), browser.close()]);

		await waitFor(() => expect(leftovers()).toEqual(NOTHING), LONG_MS);
	});

	it('leaves nothing when the job ends while it is launched', async () => {
		const ending = new AbortController();
		const opening = open({}, ending.signal);
		await waitFor(() => expect(leftovers().processes).not.toEqual([]), LONG_MS);
		ending.abort(new Error('The job has ended'));

		await expect(opening).rejects.toThrow('The job has ended');
		await waitFor(() => expect(leftovers()).toEqual(NOTHING), LONG_MS);
	});

	it('is not launched when the job has ended', async () => {
		const ended = AbortSignal.abort(new Error('The job has ended'));

		await expect(open({}, ended)).rejects.toThrow('The job has ended');
		expect(leftovers()).toEqual(NOTHING);
	});

	it('that ends by itself says so', async () => {
		const browser = await open();
		const [main] = processesWith(settings.dataFolder);
		process.kill(main!, 'SIGKILL');

		await waitFor(() => expect(browser.gone.aborted).toBe(true), LONG_MS);
		expect(browser.gone.reason).toMatchObject({
			name: 'JobFailure',
			message: "The job's browser has ended by itself",
		});
		await browser.close();
		await waitFor(() => expect(leftovers()).toEqual(NOTHING), LONG_MS);
	});

	it('does not say so when it is closed', async () => {
		const browser = await open();
		await browser.close();

		expect(browser.gone.aborted).toBe(false);
	});

	it('has nothing of the window that nobody sees, and what Playwright disables stays disabled', async () => {
		await open();
		const [main] = processesWith(`--user-data-dir=${settings.dataFolder}`);
		const lists = readFileSync(`/proc/${main}/cmdline`, 'utf8')
			.split('\0')
			.filter((text) => text.startsWith('--disable-features='))
			.map((text) => text.replace('--disable-features=', '').split(','));

		expect(lists).toHaveLength(2);
		expect(lists[1]).toEqual(expect.arrayContaining(lists[0]!));
		const renderers = childrenOf(main!).filter((line) => line.includes('--type=renderer'));
		expect(renderers).not.toEqual([]);
		expect(renderers.filter((line) => line.includes('--top-chrome-webui'))).toEqual([]);
	});

	it('may say a lot, but is ended when a page makes it say too much', async () => {
		const browser = await open();
		const log = async (megabytes: number) =>
			await browser.page().evaluate((count) => {
				console.log('x'.repeat(count * 2 ** 20));
			}, megabytes);
		await log(40);
		expect(browser.gone.aborted).toBe(false);
		await log(80).catch(() => {});

		await waitFor(() => expect(browser.gone.aborted).toBe(true), LONG_MS);
		expect(browser.gone.reason).toMatchObject({
			name: 'JobFailure',
			message:
				'A page made the browser send more than 64 MB within 10 s, and the browser was ended',
		});
		await browser.close();
		expect(leftovers()).toEqual(NOTHING);
	});

	it('may need a lot of memory, but is ended when a page needs too much', async () => {
		settings = { ...settings, maxMemoryMb: 800 };
		const browser = await open();
		const fill = async (megabytes: number) =>
			await browser.page().evaluate((count) => {
				const memory = Array.from({ length: count }, () => new Uint8Array(2 ** 20).fill(1));
				Object.assign(globalThis, { memory });
			}, megabytes);
		await fill(200);
		expect(memoryNeeded()).toBeGreaterThan(200 * 2 ** 20);
		expect(browser.gone.aborted).toBe(false);
		await fill(900).catch(() => {});

		await waitFor(() => expect(browser.gone.aborted).toBe(true), LONG_MS);
		expect(browser.gone.reason).toMatchObject({
			name: 'JobFailure',
			message: 'The browser needed more than 800 MB of memory and was ended',
		});
		await browser.close();
		expect(leftovers()).toEqual(NOTHING);
	});

	it('gets no keys of the environment', async () => {
		process.env.SERVICE_API_KEY = 'key-of-the-service';
		const browser = await open();
		const environments = processesWith('key-of-the-service', 'environ');
		delete process.env.SERVICE_API_KEY;

		expect(environments).toEqual([]);
		expect(browser.page().url()).toBe('about:blank');
	});

	it('that is no program is a sentence', async () => {
		settings = { ...settings, chromiumBin: '/nowhere/chromium' };

		await expect(open()).rejects.toMatchObject({
			name: 'JobFailure',
			message: "CHROMIUM_BIN is '/nowhere/chromium', which is no program",
		});
	});

	it('that does not start is a sentence, and leaves nothing', async () => {
		settings = { ...settings, chromiumBin: '/bin/false' };

		await expect(open()).rejects.toMatchObject({
			name: 'JobFailure',
			message: expect.stringMatching(/^Chromium did not start: try/) as string,
		});
		await waitFor(() => expect(leftovers()).toEqual(NOTHING), LONG_MS);
	});
});

describe("The user's profile", () => {
	it('keeps a login of one job for the next, also with a cookie of the session', async () => {
		const profileFolder = path.join(settings.dataFolder, 'profile');
		const first = await open({ profileFolder });
		await logIn(first);
		await first.close();
		shop.requests.length = 0;

		const second = await open({ profileFolder });
		expect(shop.requests).toEqual([]);
		expect(second.page().context().pages()).toHaveLength(1);
		expect(second.page().url()).toBe('about:blank');
		expect(await titleOf(second, '/account')).toBe('Account');
	});

	it('is opened though a browser of another machine seems to have it', async () => {
		const profileFolder = path.join(settings.dataFolder, 'profile');
		mkdirSync(profileFolder);
		symlinkSync('another-machine-123', path.join(profileFolder, 'SingletonLock'));
		symlinkSync('/nowhere/SingletonSocket', path.join(profileFolder, 'SingletonSocket'));

		expect(await titleOf(await open({ profileFolder }), '/items/1')).toBe('Hammer');
	});

	it('begins with one empty tab, though tabs were open when its browser ended', async () => {
		const profileFolder = path.join(settings.dataFolder, 'profile');
		await (await open({ profileFolder })).close();
		const other = await chromium.launchPersistentContext(profileFolder, {
			executablePath: findChromium({}),
		});
		await other.pages()[0]?.goto(`${shop.url}/items/1`);
		await other.close();

		const page = (await open({ profileFolder })).page();

		expect(page.url()).toBe('about:blank');
		expect(page.context().pages()).toHaveLength(1);
	});

	it('is opened again after its browser was killed', async () => {
		const profileFolder = path.join(settings.dataFolder, 'profile');
		const first = await open({ profileFolder });
		await titleOf(first, '/items/1');
		process.kill(processesWith(settings.dataFolder)[0]!, 'SIGKILL');
		await waitFor(() => expect(first.gone.aborted).toBe(true), LONG_MS);
		await first.close();

		expect(await titleOf(await open({ profileFolder }), '/items/2')).toBe('Saw');
	});
});

describe('A browser that is kept open', () => {
	it('has a DevTools address on loopback; another one has none', async () => {
		const [kept, other] = await Promise.all([open({ keepOpen: true }), open()]);

		expect(kept.cdpUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\//);
		expect(other.cdpUrl).toBeUndefined();
	});

	it('is borrowed by another job, with its login, and stays open after that', async () => {
		const kept = await open({ keepOpen: true });
		await logIn(kept);

		const folder = await mkdtemp(path.join(settings.dataFolder, 'files-'));
		const borrowed = kept.borrow(folder);
		expect(await titleOf(borrowed, '/account')).toBe('Account');
		await borrowed
			.page()
			.goto(`${shop.url}/report.csv`)
			.catch(() => {});
		await waitFor(() => expect(borrowed.downloads).toHaveLength(1), LONG_MS);
		await borrowed.close();

		expect(kept.downloads).toHaveLength(0);
		expect(await titleOf(kept, '/account')).toBe('Account');
	});

	it('keeps its guard', async () => {
		const kept = await open({ keepOpen: true });
		const borrowed = kept.borrow(settings.dataFolder);
		const notices: string[] = [];
		borrowed.onNotice((notice) => notices.push(notice));
		await borrowed
			.page()
			.goto('http://127.0.0.1:9999/')
			.catch(() => null);

		expect(notices).toContain(
			'Refused: 127.0.0.1:9999 is a private address, and AGENT_ALLOWED_HOSTS does not allow it',
		);
	});
});

describe('What a person enters', () => {
	it('reaches the page: mouse, wheel, keys, and text of other alphabets', async () => {
		const browser = await open();
		shop.page(
			'/input',
			`<input style="position:fixed;left:0;top:0;width:200px;height:50px">
			<button style="position:fixed;left:300px;top:0;width:100px;height:50px"
				onclick="document.title += 'clicked'">b</button><div style="height:5000px"></div>
			<script>onwheel = () => document.title += ' wheel'</script>`,
		);
		await browser.page().goto(`${shop.url}/input`);
		const events = [
			{ type: 'down', x: 100, y: 20 },
			{ type: 'up', x: 100, y: 20 },
			{ type: 'key', key: 'a' },
			{ type: 'key', key: 'é' },
			{ type: 'key', key: 'Backspace' },
			{ type: 'text', text: 'Пароль' },
			{ type: 'move', x: 350, y: 20 },
			{ type: 'down', x: 350, y: 20 },
			{ type: 'up', x: 350, y: 20 },
			{ type: 'wheel', x: 350, y: 300, deltaX: 0, deltaY: 100 },
		] as const;
		await Promise.all(events.map(async (event) => await browser.input(event)));

		expect(await browser.page().locator('input').inputValue()).toBe('aПароль');
		await waitFor(async () => expect(await browser.page().title()).toBe('clicked wheel'), LONG_MS);
	});
});

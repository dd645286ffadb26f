import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { findChromium } from '../../../local-service/browser/chromium';
import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import { openBrowser } from '../../../local-service/browser/openBrowser';
import { waitFor } from '../../support/waitFor';
import { serviceSettings } from '../support/serviceSettings';
import { PASSWORD, useShop } from '../support/useShop';

/** On a busy machine. */
const LONG_MS = 30_000;

const shop = useShop();
const settings = serviceSettings();

/** The user's own Chromium. */
let own: ChildProcess;
let port: string;
let webSocketUrl: string;

beforeAll(async () => {
	const profile = mkdtempSync(path.join(tmpdir(), 'own-'));
	const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
	own = spawn(
		findChromium({}),
		[
			'--headless',
			'--remote-debugging-port=0',
			`--user-data-dir=${profile}`,
			...root,
			'about:blank',
		],
		{ stdio: 'ignore' },
	);
	const file = await waitFor(() => {
		const text = readFileSync(path.join(profile, 'DevToolsActivePort'), 'utf8');
		// It is there before Chromium has written into it.
		expect(text).toMatch(/^\d+\n./);
		return text;
	}, 30_000);
	const [first = '', second = ''] = file.split('\n');
	port = first;
	webSocketUrl = `ws://127.0.0.1:${port}${second}`;
});
afterAll(async () => {
	const ended = new Promise((resolve) => own.once('exit', resolve));
	own.kill();
	await ended;
});

async function connect(ownCdpUrl: string, signal = new AbortController().signal) {
	const downloadFolder = mkdtempSync(path.join(settings.dataFolder, 'files-'));
	const request = { width: 800, height: 600, keepOpen: false, ownCdpUrl, downloadFolder };
	return await openBrowser(request, settings, signal);
}

async function logIn(browser: JobBrowser): Promise<void> {
	const page = browser.page();
	await page.goto(`${shop.url}/login`);
	await page.getByLabel('User').fill('ada');
	await page.getByLabel('Password').fill(PASSWORD);
	await page.getByRole('button').click();
	await page.waitForURL(`${shop.url}/account`);
}

async function openTabs(): Promise<string[]> {
	const response = await fetch(`http://127.0.0.1:${port}/json/list`);
	const targets = (await response.json()) as { type: string; url: string }[];
	return targets.filter(({ type }) => type === 'page').map(({ url }) => url);
}

describe("The user's own browser", () => {
	it('is used by http, left open and logged in, and used again by ws', async () => {
		const first = await connect(`http://127.0.0.1:${port}`);
		await logIn(first);
		await first.close();
		expect(await openTabs()).toEqual([`${shop.url}/account`]);

		const second = await connect(webSocketUrl);
		const address = second.page().url();
		await second.page().goto(`${shop.url}/account`);
		const title = await second.page().title();
		await second.close();

		expect(address).toBe(`${shop.url}/account`);
		expect(title).toBe('Account');
		expect(own.exitCode).toBeNull();
	});

	it('gives the job what it downloads', async () => {
		const browser = await connect(webSocketUrl);
		await browser.page().goto(shop.url);
		await browser.page().getByText('Report').click();
		await waitFor(() => expect(browser.downloads).toHaveLength(1), LONG_MS);
		await browser.close();

		expect(browser.downloads[0]).toMatchObject({ filename: 'report 2024.csv', size: 21 });
		expect(readdirSync(path.join(settings.dataFolder, 'tmp'))).toEqual([]);
	});

	it('is left when the job ends while it is connected to', async () => {
		const ending = new AbortController();
		const connecting = connect(webSocketUrl, ending.signal);
		setImmediate(() => ending.abort(new Error('The job has ended')));

		await expect(connecting).rejects.toThrow('The job has ended');
		expect(readdirSync(path.join(settings.dataFolder, 'tmp'))).toEqual([]);
		expect(own.exitCode).toBeNull();
	});
});

describe('An address of DevTools', () => {
	let silent: Server;

	beforeAll(async () => {
		silent = createServer((request, response) => {
			if (request.url?.startsWith('/refused')) response.writeHead(403).end('secret-of-the-address');
		});
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => {
		silent.closeAllConnections();
		await new Promise((resolve) => silent.close(resolve));
	});

	it('at which nothing listens is a sentence', async () => {
		await expect(connect('http://127.0.0.1:9/?token=secret-of-the-address')).rejects.toMatchObject({
			name: 'JobFailure',
			message:
				"The browser at 127.0.0.1:9 can't be connected to (ECONNREFUSED): does it still run?",
		});
	});

	it('that refuses is a sentence', async () => {
		const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

		await expect(connect(`http://${host}/refused`)).rejects.toMatchObject({
			name: 'JobFailure',
			message: `The browser at ${host} can't be connected to (403): does it still run?`,
		});
	});

	// A tab that hangs has the same effect.
	it('that does not answer is a sentence after 20 s', async () => {
		const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

		await expect(connect(`http://${host}/`)).rejects.toMatchObject({
			name: 'JobFailure',
			message: `The browser at ${host} did not answer within 20 s: is it there, and does one of its tabs hang?`,
		});
	});

	it.each(['file:///tmp/socket', 'chrome', 'not an address'])(
		'of another kind is a sentence: %s',
		async (url) => {
			await expect(connect(url)).rejects.toMatchObject({
				name: 'JobFailure',
				message: "The job's cdp_url is not an http, https, ws or wss address",
			});
		},
	);
});

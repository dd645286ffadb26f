import { type Browser, chromium, type Page } from 'playwright-core';

import { findChromium } from '../../../local-service/browser/chromium';
import { waitFor } from '../../support/waitFor';
import { SECRET, useSecretServer } from '../support/useSecretServer';
import { useBrowser } from '../support/useBrowser';
import { useShop } from '../support/useShop';

const shop = useShop();
const secret = useSecretServer();
const test = useBrowser(() => ({ allowedHosts: [shop.host] }));

/** The control: the same browser without a guard. */
let unguarded: Browser;

beforeAll(async () => {
	unguarded = await chromium.launch({ executablePath: findChromium({}), headless: true });
});
afterAll(async () => {
	await unguarded.close();
});

// Each of them is a way to the secret server in a URL. {} is its port.
const SPELLINGS = [
	'http://127.0.0.1:{}/',
	'http://localhost:{}/',
	'http://localhost.:{}/',
	'http://127.1:{}/',
	'http://2130706433:{}/',
	'http://0x7f000001:{}/',
	'http://0177.0.0.1:{}/',
	'http://0x7f.0.1:{}/',
	'http://127.0.0.1.:{}/',
	'http://１２７.０.０.１:{}/',
	'http://user:password@127.0.0.1:{}/',
	'http://0.0.0.0:{}/',
	'http://[::1]:{}/',
	'http://[::ffff:127.0.0.1]:{}/',
	'http://[::ffff:7f00:1]:{}/',
];

// These can't reach loopback on every machine, so there is no control.
const ELSEWHERE = [
	'http://[64:ff9b::7f00:1]:{}/',
	'http://[::127.0.0.1]:{}/',
	'http://[2002:7f00:1::]:{}/',
	'http://169.254.169.254/latest/meta-data/',
	'http://[fd00:ec2::254]/latest/meta-data/',
	'http://100.100.100.200/latest/meta-data/',
	'http://168.63.129.16/machine',
	'http://10.0.0.1:{}/',
	'http://192.168.1.1/',
	'https://192.168.1.1/',
];

/** What a page may do to reach `target`, the origin of the secret server without its scheme. */
const WAYS: [string, (target: string) => string][] = [
	['a redirect', (target) => script(`location = '/redirect?to=http://${target}/'`)],
	[
		'a page that moves on',
		(target) => `<meta http-equiv="refresh" content="0;url=http://${target}/">`,
	],
	['a frame', (target) => `<iframe src="http://${target}/"></iframe>`],
	['a picture', (target) => `<img src="http://${target}/a.png">`],
	['a style', (target) => `<link rel="stylesheet" href="http://${target}/a.css">`],
	[
		'a form',
		(target) =>
			script(`
		document.body.innerHTML = '<form method="post" action="http://${target}/"></form>';
		document.forms[0].submit()`),
	],
	['a fetch', (target) => script(`fetch('http://${target}/', { mode: 'no-cors' })`)],
	['a beacon', (target) => script(`navigator.sendBeacon('http://${target}/', 'x')`)],
	['a stream of events', (target) => script(`new EventSource('http://${target}/')`)],
	['a WebSocket', (target) => script(`new WebSocket('ws://${target}/')`)],
	[
		"a worker's fetch",
		(target) =>
			script(`
		const code = "fetch('http://${target}/', { mode: 'no-cors' })";
		new Worker(URL.createObjectURL(new Blob([code])))`),
	],
	[
		"a shared worker's fetch",
		(target) =>
			script(`
		const code = "fetch('http://${target}/', { mode: 'no-cors' })";
		new SharedWorker(URL.createObjectURL(new Blob([code])))`),
	],
	['a window', (target) => script(`open('http://${target}/')`)],
];

const UDP_WAYS: [string, (target: string) => string][] = [
	['STUN', (target) => script(connectPeers(`{ urls: 'stun:${target}' }`))],
	[
		'TURN',
		(target) =>
			script(
				connectPeers(`{ urls: 'turn:${target}?transport=udp', username: 'u', credential: 'c' }`),
			),
	],
	['WebTransport', (target) => script(`new WebTransport('https://${target}/')`)],
];

function script(code: string): string {
	return `<body><script>${code}</script>`;
}

function connectPeers(server: string): string {
	return `const peer = new RTCPeerConnection({ iceServers: [${server}] });
		peer.createDataChannel('x');
		peer.createOffer().then((offer) => peer.setLocalDescription(offer))`;
}

function target(): string {
	return `127.0.0.1:${secret.port}`;
}

function address(spelling: string): string {
	return spelling.replace('{}', String(secret.port));
}

async function open(page: Page, html: string): Promise<void> {
	shop.page('/trap', html);
	await page.goto(`${shop.url}/trap`);
}

/** A page sends its first packet within 100 ms. */
const PACKET_MS = 1000;

/** On a busy machine. */
const LONG_MS = 30_000;

describe('The guard', () => {
	it.each(SPELLINGS)('refuses %s', async (spelling) => {
		const page = test.browser.page();
		const response = await page.goto(address(spelling)).catch(() => null);

		expect(response?.status()).toBe(403);
		expect(await page.content()).not.toContain(SECRET);
		expect(secret.contacts).toBe(0);
		expect(test.notices.join()).toMatch(/Refused: .* is a private address/);
	});

	it.each(ELSEWHERE)('refuses %s, too', async (spelling) => {
		await test.browser
			.page()
			.goto(address(spelling))
			.catch(() => null);

		expect(test.notices.join()).toMatch(/Refused: .* is a private address/);
	});

	it.each(WAYS)('refuses %s to a private address', async (_way, html) => {
		await open(test.browser.page(), html(target()));

		await waitFor(() => {
			expect(test.notices.join()).toContain(`Refused: ${target()} is a private address`);
		}, LONG_MS);
		expect(secret.contacts).toBe(0);
	});

	it.each(UDP_WAYS)('lets no packet out for %s', async (_way, html) => {
		const page = test.browser.page();
		await open(page, html(target()));
		await page.waitForTimeout(PACKET_MS);

		expect(secret.packets).toBe(0);
	});
});

/** What a browser's own resolver says about a name that each machine has. */
async function lookUpIn(page: Page): Promise<string> {
	await page.goto('chrome://net-internals/#dns');
	await page.locator('#dns-view-dns-lookup-input').fill('localhost');
	await page.locator('#dns-view-dns-lookup-submit').click();
	return await page.getByText('"localhost"').innerText();
}

describe('Names', () => {
	it('are looked up by the guard only, not by the browser', async () => {
		expect(await lookUpIn(test.browser.page())).toContain('ERR_NAME_NOT_RESOLVED');
	});

	it('would be looked up by the browser', async () => {
		const page = await unguarded.newPage();

		expect(await lookUpIn(page)).toContain('Resolved');
		await page.close();
	});
});

describe('Without the guard', () => {
	let page: Page;

	beforeAll(async () => {
		page = await unguarded.newPage();
	});

	it('each spelling reaches the server', async () => {
		const reached = [];
		for (const spelling of SPELLINGS) {
			const before = secret.contacts;
			await page.goto('about:blank');
			await page.goto(address(spelling)).catch(() => null);
			if (secret.contacts > before || (await page.content()).includes(SECRET)) {
				reached.push(spelling);
			}
		}

		expect(reached).toEqual(SPELLINGS);
	});

	it.each(WAYS)('%s reaches the server', async (_way, html) => {
		await open(page, html(target()));

		await waitFor(() => expect(secret.contacts).toBeGreaterThan(0), LONG_MS);
	});

	it.each(UDP_WAYS)('%s sends a packet', async (_way, html) => {
		await open(page, html(target()));

		await waitFor(() => expect(secret.packets).toBeGreaterThan(0), LONG_MS);
	});
});

import { type Browser, chromium } from 'playwright-core';

import { LimitError, within } from '../abort';
import { JobFailure } from '../JobFailure';
import type { Settings } from '../settings';
import { createHome, removeHome } from './browserHome';
import type { OpenedBrowser } from './OpenedBrowser';

/** A tab that does not answer holds the connection up for ever. */
const CONNECT_LIMIT_MS = 20_000;
const SET_UP_LIMIT_MS = 10_000;

/**
 * Connects to a browser of the user's by the address of its DevTools: http, https, ws or wss.
 * Throws a JobFailure that names the host only, since the address may contain a key.
 */
export async function connect(
	cdpUrl: string,
	settings: Pick<Settings, 'dataFolder'>,
): Promise<OpenedBrowser> {
	const url = toDevToolsUrl(cdpUrl);
	const home = await createHome(settings);
	let connected: Browser | undefined;

	try {
		const browser = await chromium.connectOverCDP(url.href, {
			timeout: CONNECT_LIMIT_MS,
			artifactsDir: home,
			isLocal: true,
		});
		connected = browser;
		const session = await within(SET_UP_LIMIT_MS, browser.newBrowserCDPSession());
		return {
			context: browser.contexts()[0] ?? (await within(SET_UP_LIMIT_MS, browser.newContext())),
			downloads: {
				folder: home,
				async cancel(guid) {
					await session.send('Browser.cancelDownload', { guid });
				},
			},
			async end() {
				// Of a browser that was connected to, this ends the connection only.
				await browser.close();
				await removeHome(home);
			},
		};
	} catch (error) {
		if (connected) await within(SET_UP_LIMIT_MS, connected.close()).catch(() => {});
		await removeHome(home);
		throw new JobFailure(connectProblem(error, url.host));
	}
}

function toDevToolsUrl(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url && ['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol)) return url;
	throw new JobFailure("The job's cdp_url is not an http, https, ws or wss address");
}

function connectProblem(error: unknown, host: string): string {
	const message = error instanceof Error ? error.message : String(error);
	if (error instanceof LimitError || /Timeout/.test(message)) {
		return (
			`The browser at ${host} did not answer within ${CONNECT_LIMIT_MS / 1000} s: is it there, and ` +
			'does one of its tabs hang?'
		);
	}
	const [code] = /\bE[A-Z]{4,}\b|\b[45]\d\d\b/.exec(message) ?? [];
	return `The browser at ${host} can't be connected to${code ? ` (${code})` : ''}: does it still run?`;
}

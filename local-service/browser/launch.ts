import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type BrowserContext, chromium } from 'playwright-core';

import { within } from '../abort';
import type { Settings } from '../settings';
import { createHome, removeHome } from './browserHome';
import { BrowserProcess } from './BrowserProcess';
import { chromiumEnvironment, findChromium } from './chromium';
import { startGuard } from './guard';
import type { OpenedBrowser } from './OpenedBrowser';

/** What is asked of a browser that the service launches. */
export interface LaunchOptions {
	/** Of the viewport, in pixels. */
	width: number;
	height: number;
	/** Gives it a DevTools port. */
	keepOpen: boolean;
	/** Of a profile that lasts. Without one, the browser begins with nothing. */
	profileFolder?: string;
}

const START_LIMIT_MS = 60_000;
/** For each of what is done when it has started. */
const SET_UP_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 5000;
const PORT_LIMIT_MS = 5000;
const PORT_CHECK_MS = 50;

/** Of a Chromium that was killed, perhaps on a machine with another name. */
const STALE = /^(?:Singleton|DevToolsActivePort$)/;

/**
 * Chromium keeps a page of its own ready for suggestions in its address bar, in a process that
 * needs almost as much time as the rest of an idle browser. Of two lists of features only the last
 * counts, so this one has what Playwright disables, too.
 */
const DISABLED_FEATURES = [
	'WebUIOmniboxPopup',
	'WebUIOmniboxAimPopup',
	'AvoidUnnecessaryBeforeUnloadCheckSync',
	'DestroyProfileOnBrowserClose',
	'HttpsUpgrades',
	'HttpsFirstBalancedModeAutoEnable',
	'LensOverlay',
	'MediaRouter',
	'PaintHolding',
	'ThirdPartyStoragePartitioning',
	'AvoidCorsURLLoaderRestartOnRedirect',
	'TcpPortRandomizationWin',
	'OptimizationHints',
	'NetworkTimeServiceQuerying',
	'AimEnabled',
	'PreconnectToSearch',
	'msForceBrowserSignIn',
	'msEdgeUpdateLaunchServicesPreferredVersion',
];

const ARGUMENTS = [
	`--disable-features=${DISABLED_FEATURES.join(',')}`,
	// WebRTC would send packets by UDP, past the proxy.
	'--webrtc-ip-handling-policy=disable_non_proxied_udp',
	// Chromium looks up the names of pages, although the proxy does: look-ups would leave unchecked.
	'--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];

/**
 * Launches Chromium behind a guard of its own. When it fails, nothing is left. Chromium ends
 * together with the service, however that ends, since they are connected by a pipe.
 */
export async function launch(
	options: LaunchOptions,
	settings: Settings,
	onNotice: (notice: string) => void,
): Promise<OpenedBrowser> {
	const executablePath = findChromium(settings);
	const cleanUp: (() => Promise<void>)[] = [];
	const end = async () => {
		for (const step of cleanUp.splice(0).reverse()) await step().catch(() => {});
	};

	try {
		const home = await createHome(settings);
		cleanUp.push(async () => await removeHome(home));
		const guard = await startGuard(settings, onNotice);
		cleanUp.push(async () => await guard.close());

		const downloads = path.join(home, 'downloads');
		await mkdir(downloads);
		const profile = options.profileFolder ?? path.join(home, 'profile');
		await prepareProfile(profile, options.profileFolder !== undefined);
		const browserProcess = new BrowserProcess(profile, settings.maxMemoryMb);
		cleanUp.push(async () => browserProcess.forget());
		const context = await chromium.launchPersistentContext(profile, {
			executablePath,
			headless: true,
			chromiumSandbox: settings.chromiumSandbox,
			args: [...ARGUMENTS, ...(options.keepOpen ? ['--remote-debugging-port=0'] : [])],
			env: chromiumEnvironment(),
			proxy: guard.proxy,
			viewport: { width: options.width, height: options.height },
			downloadsPath: downloads,
			artifactsDir: path.join(home, 'artifacts'),
			timeout: START_LIMIT_MS,
			// The service itself ends its browsers.
			handleSIGHUP: false,
			handleSIGINT: false,
			handleSIGTERM: false,
		});
		cleanUp.push(async () => await endWithGrace(context, browserProcess));

		// With a lasting profile, Chromium opens again what the job before had open.
		if (context.pages().length > 1) await within(SET_UP_LIMIT_MS, closeTabs(context));
		const session = await within(SET_UP_LIMIT_MS, context.browser()!.newBrowserCDPSession());
		return {
			context,
			cdpUrl: options.keepOpen ? await readCdpUrl(profile) : undefined,
			downloads: {
				folder: downloads,
				async cancel(guid) {
					await session.send('Browser.cancelDownload', { guid });
				},
			},
			whyEnded: () => browserProcess.whyKilled,
			end,
		};
	} catch (error) {
		await end();
		throw error;
	}
}

/** Chromium rewrites the file, with what it does not know of in it. */
async function prepareProfile(profile: string, isLasting: boolean): Promise<void> {
	const file = path.join(profile, 'Default', 'Preferences');
	await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
	// The folder is locked by whoever uses it.
	for (const name of await readdir(profile)) {
		if (STALE.test(name)) await rm(path.join(profile, name), { force: true });
	}

	const preferences = await readPreferences(file);
	// A PDF becomes a file of the job instead of a page that can't be read.
	preferences.plugins = { ...preferences.plugins, always_open_pdf_externally: true };
	// Otherwise cookies without a date are lost between two jobs.
	if (isLasting) preferences.session = { ...preferences.session, restore_on_startup: 1 };
	await writeFile(file, JSON.stringify(preferences), { mode: 0o600 });
}

async function readPreferences(file: string): Promise<Record<string, object>> {
	try {
		const preferences: unknown = JSON.parse(await readFile(file, 'utf8'));
		return typeof preferences === 'object' && preferences !== null
			? (preferences as Record<string, object>)
			: {};
	} catch {
		return {};
	}
}

/** Chromium writes the port and the path of its DevTools into its profile, soon after its start. */
async function readCdpUrl(profile: string): Promise<string> {
	const end = performance.now() + PORT_LIMIT_MS;
	for (;;) {
		const file = await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
		const [, port, address] = /^(\d+)\n(\S+)/.exec(file) ?? [];
		if (port !== undefined) return `ws://127.0.0.1:${port}${address}`;
		if (performance.now() > end) throw new Error('Chromium has opened no DevTools port');
		await sleep(PORT_CHECK_MS);
	}
}

/** Ends Chromium with grace, or by force when it does not end. */
async function endWithGrace(
	context: BrowserContext,
	browserProcess: BrowserProcess,
): Promise<void> {
	try {
		await within(CLOSE_LIMIT_MS, context.close());
	} catch {
		await browserProcess.kill();
	}
}

/** Closes all tabs but a new one: without any, Chromium ends. */
async function closeTabs(context: BrowserContext): Promise<void> {
	const tabs = context.pages();
	await context.newPage();
	await Promise.all(tabs.map(async (tab) => await tab.close()));
}

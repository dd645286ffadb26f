import { mkdtempSync } from 'node:fs';
import path from 'node:path';

import type { Page } from 'playwright-core';

import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import { openBrowser } from '../../../local-service/browser/openBrowser';
import type { Settings } from '../../../local-service/settings';
import { serviceSettings } from './serviceSettings';

/** A Chromium for the tests of a file. */
export interface TestBrowser {
	/** This test's own view of it, with an empty tab, no cookies, no notices and no downloads. */
	readonly browser: JobBrowser;
	readonly settings: Settings;
	/** What was refused, dismissed or failed in this test. */
	readonly notices: string[];
}

/** Launches one Chromium for the tests of a file. `change` is called before it is launched. */
export function useBrowser(change: () => Partial<Settings>): TestBrowser {
	const notices: string[] = [];
	let settings: Settings;
	let launched: JobBrowser;
	let borrowed: JobBrowser;
	let stop: () => void;

	beforeAll(async () => {
		settings = serviceSettings(change());
		launched = await openBrowser(
			{ width: 1000, height: 700, keepOpen: false, downloadFolder: settings.dataFolder },
			settings,
			new AbortController().signal,
		);
	});
	beforeEach(async () => {
		notices.length = 0;
		borrowed = launched.borrow(mkdtempSync(path.join(settings.dataFolder, 'files-')));
		stop = borrowed.onNotice((notice) => notices.push(notice));
	});
	afterEach(async () => {
		stop();
		await borrowed.close();
		const context = launched.page().context();
		// One stays until the end, since a browser with as many tabs as it may have closes a new one.
		const others = context.pages().slice(1);
		await closeAll(others);
		const empty = await context.newPage();
		// With those that a page has opened meanwhile.
		await closeAll(context.pages().filter((page) => page !== empty));
		await context.clearCookies();
	});
	afterAll(async () => {
		await launched?.close();
	});

	return {
		notices,
		get browser() {
			return borrowed;
		},
		get settings() {
			return settings;
		},
	};
}

async function closeAll(tabs: Page[]): Promise<void> {
	await Promise.all(tabs.map(async (tab) => await tab.close()));
}

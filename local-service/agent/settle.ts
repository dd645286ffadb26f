import type { Page, Request } from 'playwright-core';

import { sleep } from '../abort';
import type { JobBrowser } from '../browser/JobBrowser';

/** No request for so long is rest: scripts that load one thing after the other take a few ms. */
const QUIET_MS = 250;
/** A page that goes on loading is read as it is. */
const LIMIT_MS = 4000;
/** One that is being opened has longer: there is nothing to read before. */
const OPENING_LIMIT_MS = 6000;

/** What a page is made of. It may load pictures, films and streams of events for ever. */
const PARTS = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch']);

/**
 * Carries out an action and waits for the page to come to rest, within limits. Throws what the
 * action throws, and the signal's reason when it is aborted.
 */
export async function settled<T>(
	browser: JobBrowser,
	act: () => Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	const context = browser.page().context();
	const pending = new Set<Request>();
	let lastChange = Date.now();
	const onRequest = (request: Request) => {
		if (!PARTS.has(request.resourceType())) return;
		pending.add(request);
		lastChange = Date.now();
	};
	const onEnd = (request: Request) => {
		if (pending.delete(request)) lastChange = Date.now();
	};

	context.on('request', onRequest);
	context.on('requestfinished', onEnd);
	context.on('requestfailed', onEnd);
	try {
		const result = await act();
		const acted = Date.now();
		lastChange = acted;
		const isAtRest = () => pending.size === 0 && Date.now() - lastChange >= QUIET_MS;
		const isOver = () => Date.now() - acted >= LIMIT_MS;
		while (!isAtRest() && !isOver()) await sleep(50, signal);
		await opened(browser.page(), signal);
		return result;
	} finally {
		context.off('request', onRequest);
		context.off('requestfinished', onEnd);
		context.off('requestfailed', onEnd);
	}
}

async function opened(page: Page, signal: AbortSignal): Promise<void> {
	try {
		await page.waitForLoadState('domcontentloaded', { timeout: OPENING_LIMIT_MS, signal });
	} catch {
		// What there is of it is read.
		signal.throwIfAborted();
	}
}

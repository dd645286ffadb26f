import { chromium, type Browser } from 'playwright-core';

import { LOOPBACK } from '../../../dev/n8n/ports';

/** The path of Debian's Chromium, or the one in `CHROMIUM_BIN`. */
export function chromiumPath(): string {
	return process.env.CHROMIUM_BIN || '/usr/bin/chromium';
}

/** Starts a headless Chromium that reaches only this machine. */
export async function startChromium(): Promise<Browser> {
	return await chromium.launch({
		executablePath: chromiumPath(),
		headless: true,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			// The editor requests newer versions of installed packages from the npm registry. Not a route
			// of Playwright's: with one, Chromium loads the whole editor again for every page.
			`--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${LOOPBACK}`,
			'--no-first-run',
		],
	});
}

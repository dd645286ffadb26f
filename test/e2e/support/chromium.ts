import { chromium, type Browser } from 'playwright-core';

/** The path of Debian's Chromium, or the one in `CHROMIUM_BIN`. */
export function chromiumPath(): string {
	return process.env.CHROMIUM_BIN || '/usr/bin/chromium';
}

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
			'--no-first-run',
		],
	});
}

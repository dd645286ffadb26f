import { chromium, type Browser } from 'playwright-core';

/** Debian's, unless `CHROMIUM_BIN` names another. */
export function chromiumProgram(): string {
	return process.env.CHROMIUM_BIN || '/usr/bin/chromium';
}

export async function startChromium(): Promise<Browser> {
	return await chromium.launch({
		executablePath: chromiumProgram(),
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

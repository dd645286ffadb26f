import { existsSync } from 'node:fs';

import { installN8n } from '../../../dev/n8n/installN8n';
import { createWorkFolder, packPackage } from '../../../dev/n8n/packPackage';
import { chromiumPath } from './chromium';

/** Installs n8n and packs the package once for all test files. */
export default async function globalSetup(): Promise<void> {
	const chromium = chromiumPath();
	if (!existsSync(chromium)) {
		throw new Error(
			`Chromium was not found at ${chromium}. On Debian, run 'apt-get install chromium'. Elsewhere, set CHROMIUM_BIN to the path of the executable.`,
		);
	}
	await installN8n((line) => process.stderr.write(`${line}\n`));
	const folder = createWorkFolder();
	process.env.E2E_WORK_FOLDER = folder;
	process.env.E2E_ARCHIVE = await packPackage(folder);
}

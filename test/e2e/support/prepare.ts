import { existsSync } from 'node:fs';

import { installN8n } from '../../../dev/n8n/installN8n';
import { newWorkFolder, packPackage } from '../../../dev/n8n/packPackage';
import { chromiumProgram } from './chromium';

/** Before all tests: what takes long and serves them all. */
export default async function prepare(): Promise<void> {
	if (!existsSync(chromiumProgram())) {
		throw new Error(
			`There is no Chromium at ${chromiumProgram()}. On Debian: apt-get install chromium. Elsewhere, set CHROMIUM_BIN to its program.`,
		);
	}
	await installN8n((line) => process.stderr.write(`${line}\n`));
	const folder = newWorkFolder();
	process.env.E2E_WORK_FOLDER = folder;
	process.env.E2E_ARCHIVE = await packPackage(folder);
}

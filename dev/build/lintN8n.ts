import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runCommandLine, say } from '../commandLine';
import { runCommand } from '../n8n/runCommand';

const ROOT = path.join(__dirname, '../..');
// Not a dependency of this project, since it brings 700 MB of packages.
const TOOL = '@n8n/node-cli@0.48.3';
const LINTED = ['nodes', 'credentials', 'package.json'];
const NOT_INSTALLED = 2;

/**
 * `npm run lint:n8n`: n8n's own tool and its default rules. Exits with 2 if it can't be installed.
 */
async function main(): Promise<boolean> {
	const folder = mkdtempSync(path.join(tmpdir(), 'lint-n8n-'));
	try {
		await install(folder);
		const config = path.join(folder, 'eslint.config.mjs');
		writeFileSync(config, "export { config as default } from '@n8n/node-cli/eslint';\n");
		const eslint = path.join(folder, 'node_modules/eslint/bin/eslint.js');
		const args = [eslint, '--config', config, '--max-warnings', '0', ...LINTED];
		const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
		return status === 0;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function install(folder: string): Promise<void> {
	writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
	try {
		await runCommand('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', TOOL], {
			cwd: folder,
			purpose: `Installing ${TOOL}`,
		});
	} catch (error) {
		say((error as Error).message);
		rmSync(folder, { recursive: true, force: true });
		process.exit(NOT_INSTALLED);
	}
}

runCommandLine(main);

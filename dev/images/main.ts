import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { runCommandLine } from '../commandLine';
import { exampleWorkflows } from '../n8n/examples';
import { createWorkFolder, packPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';

const ROOT = path.join(__dirname, '../..');
/** It finds files of its own beside its code, so it can't be bundled. */
const BROWSER_LIBRARY = 'playwright-core';

/**
 * `npm run images -- folder`: writes what the two images of local-service/Dockerfile contain, the
 * local service into `folder/service` and what n8n gets into `folder/n8n`.
 */
async function main(args: string[]): Promise<void> {
	const [folder] = args;
	if (folder === undefined) throw new Error('Name a folder: npm run images -- folder');
	await writeService(path.resolve(folder, 'service'));
	await writeN8n(path.resolve(folder, 'n8n'));
}

async function writeService(folder: string): Promise<void> {
	await bundleModules(['./local-service/main'], path.join(folder, 'main.js'), [BROWSER_LIBRARY]);
	copy('local-service/pages/assets', path.join(folder, 'assets'));
	copy('api/openapi.yaml', path.join(folder, 'openapi.yaml'));
	copy(`node_modules/${BROWSER_LIBRARY}`, path.join(folder, 'node_modules', BROWSER_LIBRARY));
	copy('LICENSE.md', path.join(folder, 'LICENSE.md'));
}

async function writeN8n(folder: string): Promise<void> {
	const nodes = path.join(folder, 'package');
	mkdirSync(nodes, { recursive: true });
	const work = createWorkFolder();
	try {
		const archive = await packPackage(work);
		await runCommand('tar', ['-xzf', archive, '-C', nodes, '--strip-components=1'], {
			purpose: 'Unpacking the package',
		});
	} finally {
		rmSync(work, { recursive: true });
	}
	await bundleModules(['./dev/images/fillN8n'], path.join(folder, 'fillN8n.js'), []);
	const workflows = exampleWorkflows().map((workflow) => ({ active: false, ...workflow }));
	writeFileSync(path.join(folder, 'workflows.json'), JSON.stringify(workflows));
}

function copy(source: string, target: string): void {
	cpSync(path.join(ROOT, source), target, { recursive: true });
}

runCommandLine(main);

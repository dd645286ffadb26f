import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { cached } from '../n8n/cacheFolder';
import { withNodeFirst, type NodeForN8n } from '../n8n/installNode';
import { runCommand } from '../n8n/runCommand';

const NPM_INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];

/** The `node_modules` folder with this version of n8n-core, installed once into the cache. */
export async function installCore(version: string, node: NodeForN8n): Promise<string> {
	const folder = await cached(`n8n-core-${version}`, async (partial) => {
		writeFileSync(path.join(partial, 'package.json'), '{ "private": true }\n');
		await runCommand('npm', [...NPM_INSTALL, `n8n-core@${version}`], {
			cwd: partial,
			env: withNodeFirst(node),
			purpose: `Installing n8n-core ${version}`,
		});
	});
	return path.join(folder, 'node_modules');
}

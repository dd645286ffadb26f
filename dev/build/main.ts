import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { runCommandLine } from '../commandLine';
import { runCommand } from '../n8n/runCommand';
import { bundle } from './bundle';

const ROOT = path.join(__dirname, '../..');

/** `npm run build`: the package in `dist`, as it is published. */
async function main(): Promise<void> {
	await rm(path.join(ROOT, 'dist'), { recursive: true, force: true });
	await checkTypes();
	await bundle(path.join(ROOT, 'dist'));
	await copyAssets();
}

async function checkTypes(): Promise<void> {
	const compiler = require.resolve('typescript/bin/tsc');
	await runCommand(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {
		cwd: ROOT,
		purpose: 'Checking the types',
	});
}

// What n8n reads beside the classes, in the same places as in the source, and the licences of the
// libraries in the bundle.
async function copyAssets(): Promise<void> {
	const besideNodes = await readdir(path.join(ROOT, 'nodes'), { recursive: true });
	const assets = [
		'THIRD_PARTY_NOTICES.md',
		'icons',
		...besideNodes.filter((file) => file.endsWith('.json')).map((file) => path.join('nodes', file)),
	];
	for (const asset of assets) {
		await cp(path.join(ROOT, asset), path.join(ROOT, 'dist', asset), { recursive: true });
	}
}

runCommandLine(main);

import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { installNode, withNodeFirst } from '../n8n/installNode';
import { unpackPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';
import { startSandbox } from '../sandbox/startSandbox';
import { installCore } from './installCore';
import type { Release } from './releases';

/** What the process of a release prints, as JSON. */
export interface Report {
	/** By the names of the checks; empty: all have passed. */
	errors: Record<string, string>;
	/** The names of the features that n8n lacks. */
	unused: string[];
}

/** Runs the checks on a release of n8n-core, on its Node.js, in a process and a folder of their own. */
export async function checkRelease(
	release: Release,
	{ archive, checksFile }: { archive: string; checksFile: string },
	workFolder: string,
): Promise<Report> {
	const sandbox = await startSandbox({ limits: 'off', defaultJobSeconds: 1 });
	try {
		const node = await installNode(() => {}, release.node);
		const modules = await installCore(release.core, node);
		const folder = path.join(workFolder, release.n8n);
		mkdirSync(folder);
		// From here the package and the checks load n8n's packages, and no others.
		symlinkSync(modules, path.join(folder, 'node_modules'), 'junction');
		copyFileSync(checksFile, path.join(folder, 'checks.js'));
		const packageFolder = await unpackPackage(folder, archive);
		const output = await runCommand(node.program, ['checks.js', packageFolder, sandbox.url], {
			cwd: folder,
			env: {
				...withNodeFirst(node),
				N8N_USER_FOLDER: folder,
				N8N_ENCRYPTION_KEY: 'for the checks only',
				N8N_LOG_LEVEL: 'silent',
			},
			purpose: `Checking n8n ${release.n8n}`,
		});
		return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Report;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { errors: { 'all checks': reason }, unused: [] };
	} finally {
		await sandbox.close();
	}
}

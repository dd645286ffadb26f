import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { runCommandLine, say } from '../commandLine';
import { cached } from '../n8n/cacheFolder';
import { runCommand } from '../n8n/runCommand';
import { RELEASES, type Release } from './releases';

const ROOT = path.join(__dirname, '../..');
const NPM_INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];

/** `npm run test:compat`: runs `test/compat` on the releases of the table, or on those named. */
async function main(wanted: string[]): Promise<boolean> {
	const releases = wanted.length === 0 ? RELEASES : await Promise.all(wanted.map(findRelease));
	let haveAllPassed = true;
	for (const release of releases) {
		say(`n8n ${release.n8n} (n8n-core ${release.core}, Node.js ${process.version})`);
		haveAllPassed = runTests(await installCore(release.core)) && haveAllPassed;
	}
	return haveAllPassed;
}

// A version or a tag, such as `next`.
async function findRelease(versionOrTag: string): Promise<Release> {
	const known = RELEASES.find(({ n8n }) => n8n === versionOrTag);
	if (known !== undefined) return known;

	const fields = ['version', 'dependencies.n8n-core', '--json'];
	const text = await runCommand('npm', ['view', `n8n@${versionOrTag}`, ...fields], {
		purpose: `Looking for n8n ${versionOrTag}`,
	});
	const found = JSON.parse(text) as { version: string; 'dependencies.n8n-core': string };
	return { n8n: found.version, core: found['dependencies.n8n-core'] };
}

/** The `node_modules` folder with this version of n8n-core, installed once into the cache. */
async function installCore(version: string): Promise<string> {
	const folder = await cached(`n8n-core-${version}`, async (partial) => {
		writeFileSync(path.join(partial, 'package.json'), '{ "private": true }\n');
		await runCommand('npm', [...NPM_INSTALL, `n8n-core@${version}`], {
			cwd: partial,
			purpose: `Installing n8n-core ${version}`,
		});
	});
	return path.join(folder, 'node_modules');
}

function runTests(n8nModules: string): boolean {
	const jest = require.resolve('jest/bin/jest');
	// Some releases leave handles open, which would delay the exit.
	const args = [jest, '--selectProjects', 'compat', '--verbose', '--forceExit'];
	const env = { ...process.env, N8N_MODULES: n8nModules };
	const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
	return status === 0;
}

runCommandLine(main);

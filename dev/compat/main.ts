import { rmSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { runCommandLine, say } from '../commandLine';
import { createWorkFolder, packPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';
import { checkRelease, type Report } from './checkRelease';
import { RELEASES, type Release } from './releases';

const CHECKS = './dev/compat/checks/main';

/** `npm run test:compat`: checks the built package on the releases of the table, or on those named. */
async function main(wanted: string[]): Promise<boolean> {
	const workFolder = createWorkFolder();
	try {
		const releases = wanted.length === 0 ? RELEASES : await Promise.all(wanted.map(findRelease));
		const checksFile = path.join(workFolder, 'checks.js');
		// n8n's packages are those of the release.
		await bundleModules([CHECKS], checksFile, { packages: 'external' });
		const archive = await packPackage(workFolder);
		let areAllGood = true;
		// One after the other: installing and loading n8n-core takes a whole core.
		for (const release of releases) {
			const result = await checkRelease(release, { archive, checksFile }, workFolder);
			areAllGood = report(release, result) && areAllGood;
		}
		return areAllGood;
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
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
	const isOld = /^(?:1\.|2\.0\.)/.test(found.version);
	return { n8n: found.version, core: found['dependencies.n8n-core'], node: isOld ? 20 : 24 };
}

function report({ n8n, core, node }: Release, { errors, unused }: Report): boolean {
	const failures = Object.entries(errors).map(([name, error]) => `${name}: ${error}`);
	const isGood = failures.length === 0;
	say(`n8n ${n8n} (n8n-core ${core}, Node.js ${node}): ${isGood ? 'passed' : 'failed'}`);
	for (const failure of failures) say(`  ${failure.replaceAll('\n', '\n  ')}`);
	for (const feature of unused) say(`  without: ${feature}`);
	return isGood;
}

runCommandLine(main);

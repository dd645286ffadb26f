import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import { createWorkFolder, packPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';
import { checkRelease, type ReleaseResult } from './checkRelease';
import { RELEASES, type Release } from './releases';
import { failuresOf, replaceTable } from './table';

const PAGE = path.join(__dirname, '../../docs/compatibility.md');
const CHECKS = './dev/compat/checks/main';

/**
 * `npm run test:compat`: checks the built package on several releases of n8n and writes the table of
 * docs/compatibility.md. With arguments, only on these releases, each a version or a tag such as
 * `next`, and without writing the table.
 */
async function main(wanted: string[]): Promise<boolean> {
	const workFolder = createWorkFolder();
	try {
		const releases = wanted.length === 0 ? RELEASES : await Promise.all(wanted.map(findRelease));
		const checksFile = path.join(workFolder, 'checks.js');
		// n8n's packages are those of the release.
		await bundleModules([CHECKS], checksFile, { packages: 'external' });
		const archive = await packPackage(workFolder);
		const results: ReleaseResult[] = [];
		// One after the other: installing and loading n8n-core takes a whole core.
		for (const release of releases) {
			const result = await checkRelease(release, { archive, checksFile }, workFolder);
			report(result);
			results.push(result);
		}
		if (wanted.length === 0) await writeTable(results);
		return results.every((result) => failuresOf(result).length === 0);
	} finally {
		rmSync(workFolder, { recursive: true, force: true });
	}
}

async function writeTable(results: ReleaseResult[]): Promise<void> {
	writeFileSync(PAGE, replaceTable(readFileSync(PAGE, 'utf8'), results));
	await runCommand('npx', ['prettier', '--write', PAGE], { purpose: 'Formatting the table' });
}

/** A release of the table, or any other one of the npm registry. */
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

function report(result: ReleaseResult): void {
	const { n8n, core, node } = result.release;
	const failures = failuresOf(result);
	say(
		`n8n ${n8n} (n8n-core ${core}, Node.js ${node}): ${failures.length === 0 ? 'passed' : 'failed'}`,
	);
	for (const failure of failures) say(`  ${failure.replaceAll('\n', '\n  ')}`);
	if ('error' in result) return;
	for (const [feature, isUsed] of Object.entries(result.report.features)) {
		if (!isUsed) say(`  without: ${feature}`);
	}
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2)).then(
	(isGood) => {
		process.exitCode = isGood ? 0 : 1;
	},
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	},
);

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { runCommandLine, say } from '../commandLine';
import { createWorkFolder, packPackage } from '../n8n/packPackage';
import { runCommand } from '../n8n/runCommand';

const ROOT = path.join(__dirname, '../..');
// Not a dependency of this project, since it brings 220 MB of packages.
const SCANNER = '@n8n/scan-community-package';
const VERSION = '0.32.0';
// The scanner's own command takes a package only by its name on npm, and the source by the
// provenance that it was published with. Then it calls the same function with these patterns.
const PACKED_FILES = ['**/*.js', 'package.json'];
const NOT_INSTALLED = 2;

/** What is used of the scanner. */
interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(folder: string, filePatterns: string[]): Promise<ScanResult>;
}

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

/**
 * `npm run lint:n8n`: the scanner by which n8n checks a published package, on the source and on the
 * package as it would be published. Exits with 2 if the scanner can't be installed.
 */
async function main(): Promise<boolean> {
	const folder = createWorkFolder();
	try {
		const { analyzePackage, SOURCE_FILE_PATTERNS } = await installScanner(folder);
		const packed = await unpack(await packPackage(folder), path.join(folder, 'package'));
		const results = [
			await analyzePackage(ROOT, SOURCE_FILE_PATTERNS),
			await analyzePackage(packed, PACKED_FILES),
		];
		for (const { message, details } of results) {
			if (message !== undefined) say([message, details].join('\n'));
		}
		say(
			`${SCANNER} ${VERSION}: ${results.filter(({ passed }) => passed).length} of 2 scans passed`,
		);
		// Without files to scan, the scanner passes, too, but says so.
		return results.every(({ passed, message }) => passed && message === undefined);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function installScanner(folder: string): Promise<Scanner> {
	writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
	const spec = `${SCANNER}@${VERSION}`;
	const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec];
	try {
		await runCommand('npm', args, { cwd: folder, purpose: `Installing ${spec}` });
	} catch (error) {
		say((error as Error).message);
		rmSync(folder, { recursive: true, force: true });
		process.exit(NOT_INSTALLED);
	}
	const file = path.join(folder, 'node_modules', SCANNER, 'scanner/scanner.mjs');
	return (await import(pathToFileURL(file).href)) as Scanner;
}

async function unpack(archive: string, folder: string): Promise<string> {
	mkdirSync(folder);
	await runCommand('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'], {
		purpose: 'Unpacking the package',
	});
	return folder;
}

runCommandLine(main);

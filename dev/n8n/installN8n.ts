import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { cached } from './cacheFolder';
import { installNode, withNodeFirst, type NodeForN8n } from './installNode';
import { runCommand } from './runCommand';

const DESCRIPTION = path.join(__dirname, 'install');
const FILES = ['package.json', 'package-lock.json'];
const TWENTY_MINUTES_MS = 20 * 60_000;
const REPORT_INTERVAL_MS = 10_000;

/** An n8n that is ready to be started. */
export interface InstalledN8n {
	node: NodeForN8n;
	program: string;
	/** The `node_modules` folder that contains it. */
	modules: string;
	version: string;
}

/**
 * The n8n that `N8N_BIN` names, or else the one of `dev/n8n/install`, installed once into the
 * cache.
 */
export async function installN8n(say: (line: string) => void): Promise<InstalledN8n> {
	const given = process.env.N8N_BIN;
	const node = await installNode(say);
	if (given) return describe(node, realpathSync(given));

	const folder = await cached(folderName(), async (partial) => {
		say('Installing n8n into the cache. This happens once, and takes a few minutes and 3 GB.');
		for (const file of FILES) copyFileSync(path.join(DESCRIPTION, file), path.join(partial, file));
		const options = { cwd: partial, env: withNodeFirst(node), timeoutMs: TWENTY_MINUTES_MS };
		const startedAt = Date.now();
		const reporter = setInterval(() => {
			const seconds = Math.round((Date.now() - startedAt) / 1000);
			say(`  ${countPackages(partial)} after ${seconds} s`);
		}, REPORT_INTERVAL_MS);
		try {
			// dev/n8n/install/README.md says why this is not `npm ci`, and runs no install scripts.
			await runCommand('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
				...options,
				purpose: 'Installing n8n',
			});
		} finally {
			clearInterval(reporter);
		}
		say("Compiling n8n's database driver");
		const rebuild = ['rebuild', 'sqlite3', '--build-from-source', '--ignore-scripts=false'];
		await runCommand('npm', rebuild, {
			...options,
			purpose: "Compiling n8n's database driver (it needs Python 3, make and a C++ compiler)",
		});
		await runCommand(node.program, ['-e', "require('sqlite3')"], {
			cwd: partial,
			purpose: "Loading n8n's database driver",
		});
	});
	return describe(node, path.join(folder, 'node_modules/n8n/bin/n8n'));
}

function folderName(): string {
	const hash = createHash('sha256');
	for (const file of FILES) hash.update(readFileSync(path.join(DESCRIPTION, file)));
	const { dependencies } = readJson(path.join(DESCRIPTION, 'package.json')) as {
		dependencies: { n8n: string };
	};
	return `n8n-${dependencies.n8n}-${hash.digest('hex').slice(0, 8)}`;
}

function describe(node: NodeForN8n, program: string): InstalledN8n {
	const packageFile = path.resolve(program, '../../package.json');
	if (!existsSync(program) || !existsSync(packageFile)) {
		throw new Error(
			`n8n was not found at ${program}. 'N8N_BIN' must be the path of the file bin/n8n of an installed n8n.`,
		);
	}
	const { version } = readJson(packageFile) as { version: string };
	return { node, program, modules: path.resolve(program, '../../..'), version };
}

// Optional packages are for other systems.
function countPackages(folder: string): string {
	const { packages } = readJson(path.join(folder, 'package-lock.json')) as {
		packages: Record<string, { optional?: boolean }>;
	};
	const wanted = Object.keys(packages).filter((name) => name !== '' && !packages[name]?.optional);
	const present = wanted.filter((name) => existsSync(path.join(folder, name, 'package.json')));
	return `${present.length} of ${wanted.length} packages`;
}

function readJson(file: string): unknown {
	return JSON.parse(readFileSync(file, 'utf8'));
}

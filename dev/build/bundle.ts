import { build } from 'esbuild';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { n8n, peerDependencies } from '../../package.json';

const ROOT = path.join(__dirname, '../..');
const BUNDLE = 'bundle.js';

/** What every n8n has. Everything else is bundled. */
const HOST_PACKAGES = Object.keys(peerDependencies);

/**
 * Builds the published code into `folder`: one file with all modules, and a small one for each
 * class that package.json names, which exports it from there. One file loads faster than a hundred
 * small ones, and both nodes share one copy of the code, with one rate limiter per account. It
 * needs no source map: nothing is minified, and a comment names the module of each part.
 */
export async function bundle(folder: string): Promise<void> {
	const classFiles = [...n8n.credentials, ...n8n.nodes].map((file) => path.relative('dist', file));
	const modules = classFiles.map((file) => `./${file.replace(/\.js$/, '')}`);
	await bundleModules(modules, path.join(folder, BUNDLE));
	await Promise.all(classFiles.map(async (file) => await writeClassFile(folder, file)));
}

/**
 * Bundles what these modules export, named by their paths in this project, into one file. The
 * external packages are loaded at run time.
 */
export async function bundleModules(
	modules: string[],
	outfile: string,
	external = HOST_PACKAGES,
): Promise<void> {
	await build({
		stdin: {
			contents: modules.map((module) => `export * from '${module}';`).join('\n'),
			resolveDir: ROOT,
			sourcefile: 'index.ts',
		},
		outfile,
		absWorkingDir: ROOT,
		bundle: true,
		platform: 'node',
		target: 'node20',
		// Text stays as it is in the source, so that a message can be searched for.
		charset: 'utf8',
		external,
		tsconfig: path.join(ROOT, 'tsconfig.json'),
		logLevel: 'warning',
	});
}

async function writeClassFile(folder: string, file: string): Promise<void> {
	const target = path.join(folder, file);
	const className = path.basename(file).split('.')[0] ?? '';
	const bundleFile = path.posix.relative(path.posix.dirname(file), BUNDLE);
	await mkdir(path.dirname(target), { recursive: true });
	await writeFile(target, `exports.${className} = require('${bundleFile}').${className};\n`);
}

const { mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { build } = require('esbuild');
const { n8n } = require('../package.json');

const ROOT = path.join(module.path, '..');
const BUNDLE = 'package.js';

/** The built files that n8n loads, by their names below `dist/`. */
const classFiles = [...n8n.credentials, ...n8n.nodes].map((file) => path.relative('dist', file));

/**
 * Builds the package into `folder`: all code in one file, since reading a hundred small ones would
 * take n8n several times as long, and beside it the files that package.json names, which hand on
 * the classes. What is readable stays readable: nothing is minified.
 * `also` names modules whose exports are to be had of the one file, too.
 */
exports.bundle = async function (folder, also = []) {
	const modules = [...classFiles.map((file) => file.replace(/\.js$/, '')), ...also];
	await build({
		stdin: {
			contents: modules.map((module) => `export * from './${module}';`).join('\n'),
			resolveDir: ROOT,
		},
		bundle: true,
		platform: 'node',
		target: 'node20',
		packages: 'external',
		tsconfig: path.join(ROOT, 'tsconfig.json'),
		outfile: path.join(folder, BUNDLE),
		logLevel: 'warning',
	});
	await Promise.all(classFiles.map(async (file) => await writeClassFile(folder, file)));
};

async function writeClassFile(folder, file) {
	const target = path.join(folder, file);
	const className = path.basename(file).split('.')[0];
	const bundle = path.posix.relative(path.posix.dirname(file), BUNDLE);
	await mkdir(path.dirname(target), { recursive: true });
	await writeFile(target, `exports.${className} = require('${bundle}').${className};\n`);
}

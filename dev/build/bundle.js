const { mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { build } = require('esbuild');
const { n8n, peerDependencies } = require('../../package.json');

const ROOT = path.join(module.path, '../..');
const BUNDLE = 'package.js';
/** Each in a file of its own: the first one is loaded only by workflows that need it. */
const LIBRARIES = { '@cfworker/json-schema': './jsonSchema.js', 'ipaddr.js': './ipAddresses.js' };

/** What users have. Everything else comes along. */
const HOST_PACKAGES = Object.keys(peerDependencies);

const classFiles = [...n8n.credentials, ...n8n.nodes].map((file) => path.relative('dist', file));

// One file loads faster than a hundred small ones, and both nodes share one copy of the code, with one
// rate limiter per account. Each class that package.json names has a file that passes it on.
exports.bundle = async function (folder) {
	const modules = classFiles.map((file) => `./${file.replace(/\.js$/, '')}`);
	const bundleFile = path.join(folder, BUNDLE);
	await bundleModules(modules, bundleFile, {
		alias: LIBRARIES,
		external: [...HOST_PACKAGES, ...Object.values(LIBRARIES)],
		// Comments and indentation are for the source.
		minifyWhitespace: true,
		lineLimit: 500,
	});
	for (const [library, file] of Object.entries(LIBRARIES)) {
		await bundleModules([library], path.join(folder, file), {
			minify: true,
			banner: { js: `// ${library}, minified. Licence: THIRD_PARTY_NOTICES.md` },
		});
	}
	await Promise.all(classFiles.map(async (file) => await writeClassFile(folder, file)));
};

async function bundleModules(modules, outfile, options = {}) {
	await build({
		stdin: {
			contents: modules.map((module) => `export * from '${module}';`).join('\n'),
			resolveDir: ROOT,
		},
		outfile,
		absWorkingDir: ROOT,
		bundle: true,
		platform: 'node',
		target: 'node20',
		external: HOST_PACKAGES,
		tsconfig: path.join(ROOT, 'tsconfig.json'),
		logLevel: 'warning',
		...options,
	});
}
exports.bundleModules = bundleModules;

async function writeClassFile(folder, file) {
	const target = path.join(folder, file);
	const className = path.basename(file).split('.')[0];
	const bundle = path.posix.relative(path.posix.dirname(file), BUNDLE);
	await mkdir(path.dirname(target), { recursive: true });
	await writeFile(target, `exports.${className} = require('${bundle}').${className};\n`);
}

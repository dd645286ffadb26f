const { createHash } = require('node:crypto');
const { mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { build } = require('esbuild');
const { n8n } = require('../../package.json');

const ROOT = path.join(module.path, '../..');

const DESCRIPTIONS = 'package.js';
const RUN = './run.js';

/** The modules that n8n needs as soon as it loads the package: what the user sees, and no work. */
const IS_DESCRIPTION = [
	/^credentials\//,
	/^nodes\/\w+\/\w+\.node$/,
	/^nodes\/BrowserAgent\/(operations|parameters)\//,
	/^nodes\/BrowserAgentTrigger\/jobSource$/,
	/^nodes\/client\/bounds$/,
];

const SETTINGS = {
	absWorkingDir: ROOT,
	bundle: true,
	platform: 'node',
	target: 'node20',
	packages: 'external',
	tsconfig: path.join(ROOT, 'tsconfig.json'),
	write: false,
	logLevel: 'warning',
};

/** The built files that n8n loads, by their names below `dist/`. */
const classFiles = [...n8n.credentials, ...n8n.nodes].map((file) => path.relative('dist', file));

/**
 * Builds the package into `folder`, as two files that export all that is in them: descriptions,
 * which n8n reads when it starts, and what these ask for when a node runs. A hundred small files,
 * or one with all the code, would hold up the start. Beside them, the files that package.json names
 * hand on the classes. No module is in both, and nothing is minified: what is readable stays
 * readable.
 */
exports.bundle = async function (folder) {
	const modules = await listModules();
	const isDescription = (module) => IS_DESCRIPTION.some((pattern) => pattern.test(module));
	const [descriptions, run] = await Promise.all([
		buildPart(modules.filter(isDescription), RUN),
		buildPart(
			modules.filter((module) => !isDescription(module)),
			`./${DESCRIPTIONS}`,
		),
	]);
	// Descriptions in memory find no run of another version, put into its place under a running n8n.
	const runFile = `run.${createHash('sha256').update(run).digest('hex').slice(0, 8)}.js`;
	await mkdir(folder, { recursive: true });
	await Promise.all([
		writeFile(path.join(folder, DESCRIPTIONS), loadLater(descriptions, runFile)),
		writeFile(path.join(folder, runFile), run),
		...classFiles.map(async (file) => await writeClassFile(folder, file)),
	]);
};

/** All modules of the package, as paths from the root without their endings. */
async function listModules() {
	const { metafile } = await build({
		...SETTINGS,
		entryPoints: classFiles.map((file) => file.replace(/\.js$/, '.ts')),
		outdir: ROOT,
		metafile: true,
	});
	return Object.keys(metafile.inputs).map(toModule);
}

/** The code of these modules in one text, which requires `other` for all that are not among them. */
async function buildPart(modules, other) {
	const elsewhere = {
		name: 'elsewhere',
		setup({ onResolve, resolve }) {
			onResolve({ filter: /^\./ }, async ({ path: file, pluginData, ...from }) => {
				if (pluginData === elsewhere) return;
				const found = await resolve(file, { ...from, pluginData: elsewhere });
				const module = toModule(path.relative(ROOT, found.path));
				return modules.includes(module) ? found : { path: other, external: true };
			});
		},
	};
	const { outputFiles } = await build({
		...SETTINGS,
		stdin: {
			contents: modules.map((module) => `export * from './${module}';`).join('\n'),
			resolveDir: ROOT,
		},
		plugins: [elsewhere],
	});
	return outputFiles[0].text;
}

function toModule(file) {
	return file.replace(/\.ts$/, '');
}

// Once loaded it stays the same, also for nodes that still run when n8n has loaded another version.
function loadLater(descriptions, runFile) {
	const head = [
		'"use strict";',
		'let loadedRun;',
		`const loadRun = () => (loadedRun ??= require('./${runFile}'));`,
		'const whenRun = new Proxy({}, { get: (_, name) => loadRun()[name] });',
	];
	return descriptions.replace(head[0], head.join('\n')).replaceAll(`require("${RUN}")`, 'whenRun');
}

async function writeClassFile(folder, file) {
	const target = path.join(folder, file);
	const className = path.basename(file).split('.')[0];
	const bundle = path.posix.relative(path.posix.dirname(file), DESCRIPTIONS);
	await mkdir(path.dirname(target), { recursive: true });
	await writeFile(target, `exports.${className} = require('${bundle}').${className};\n`);
}

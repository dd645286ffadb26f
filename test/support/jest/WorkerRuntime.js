const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { default: JestRuntime } = require('jest-runtime');

// The tests of other releases of n8n's engine take its packages from this folder.
const { N8N_MODULES } = process.env;
const ENGINE_PACKAGES = ['n8n-core', 'n8n-workflow'];
// A module of ours that is kept, too: it compiles the schemas of the OpenAPI document, which takes
// as long as most test files.
const KEPT = './openApiValidators';

let kept;

/**
 * Loads packages once for each worker. Jest loads everything again for each test file, and n8n's
 * engine alone takes a second, which was a third of the time of all tests. The project's own
 * modules are still loaded for each file, except for one.
 */
module.exports = class WorkerRuntime extends JestRuntime {
	requireModule(from, name, options, isRequireActual) {
		if (name === KEPT) return (kept ??= super.requireModule(from, name, options, isRequireActual));
		if (!isPackage(name) || options?.isInternalModule) {
			return super.requireModule(from, name, options, isRequireActual);
		}
		const isOfOtherRelease = N8N_MODULES !== undefined && ENGINE_PACKAGES.includes(name);
		return createRequire(isOfOtherRelease ? path.join(N8N_MODULES, 'file.js') : from)(name);
	}

	/** Runs modules in the worker's own context, as its packages do: see WorkerEnvironment.js. */
	createScriptFromCode(code, filename) {
		const script = super.createScriptFromCode(code, filename);
		return { runInContext: () => script.runInThisContext() };
	}
};

/** Without a name, Jest requires the test file itself. */
function isPackage(name) {
	return name !== undefined && !name.startsWith('.') && !path.isAbsolute(name) && !isBuiltin(name);
}

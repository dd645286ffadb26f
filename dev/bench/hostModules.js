const Module = require('node:module');
const path = require('node:path');

// Loaded first into a process that is measured: n8n's packages come from one place, the n8n host if
// there is one, whoever asks for them. So its nodes and ours run on one and the same engine, and the
// package under test needs no modules of its own.
const modules = process.env.BENCH_MODULES;
const fromThere = Module.createRequire(path.join(modules, 'here.js'));
const resolve = Module._resolveFilename;

Module._resolveFilename = function (name, parent, ...rest) {
	const isN8ns = /^(n8n-core|n8n-workflow|n8n-nodes-base|@n8n\/di)(\/|$)/.test(name);
	const isInside = parent?.filename?.startsWith(modules) ?? false;
	if (isN8ns && !isInside) return fromThere.resolve(name);
	return resolve.call(this, name, parent, ...rest);
};

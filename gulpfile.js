// The build tools are written in TypeScript.
require('tsx/cjs');

const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, series, src } = require('gulp');
const { bundle } = require('./dev/build/bundle');

function clean() {
	return rm('dist', { recursive: true, force: true });
}

// Checks everything, tests and tools included. gulp waits for the process and stops the build when it exits with
// anything but 0.
function checkTypes() {
	const compiler = require.resolve('typescript/bin/tsc');
	return spawn(process.execPath, [compiler], { stdio: 'inherit' });
}

function bundleCode() {
	return bundle('dist');
}

// Files that n8n reads beside the classes, at the same paths as in the source, and the licences of
// the libraries in the bundle.
function copyAssets() {
	const assets = [
		'THIRD_PARTY_NOTICES.md',
		'icons/*.svg',
		'nodes/**/*.node.json',
		'nodes/**/__schema__/**/*.json',
	];
	return src(assets, { base: '.', encoding: false }).pipe(dest('dist'));
}

exports.clean = clean;
// Without the type check, for commands that only run or examine the bundle.
exports.bundle = series(clean, bundleCode, copyAssets);
exports.build = series(clean, checkTypes, bundleCode, copyAssets);
exports.default = exports.build;

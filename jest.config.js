const { version } = require('esbuild');

const options = {
	loader: 'ts',
	format: 'cjs',
	target: 'node20',
	supported: { 'dynamic-import': false },
	sourcemap: 'inline',
};
// Jest's cache is for this version and these options.
const ESBUILD = ['<rootDir>/test/support/jest/transform.js', { version, options }];

const base = {
	testMatch: ['**/*.test.ts'],
	testEnvironment: '<rootDir>/test/support/jest/WorkerEnvironment.js',
	runtime: '<rootDir>/test/support/jest/WorkerRuntime.js',
	transform: { '\\.ts$': ESBUILD },
};

const unit = {
	...base,
	displayName: 'unit',
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'/test/compat/',
		'/test/e2e/',
		'/test/queue/',
		'\\.chromium\\.test\\.ts$',
	],
	globalSetup: '<rootDir>/test/support/temporaryFolder.ts',
	globalTeardown: '<rootDir>/test/support/removeTemporaryFolder.ts',
};

/** Tests that also run on other releases of n8n's engine: see WorkerRuntime.js. */
const compat = {
	...unit,
	displayName: 'compat',
	roots: ['<rootDir>/test/compat'],
	testPathIgnorePatterns: ['/node_modules/'],
};

/** Tests with the local service and a real Chromium: the files whose names say so. */
const service = {
	...unit,
	displayName: 'service',
	roots: ['<rootDir>/test/local-service', '<rootDir>/test/dev'],
	testMatch: ['**/*.chromium.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};

/** Tests in the editor of a whole n8n. */
const e2e = {
	...base,
	displayName: 'e2e',
	roots: ['<rootDir>/test/e2e'],
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/setUpTests.ts'],
};

/** Tests in a whole n8n in queue mode. */
const queue = {
	...e2e,
	displayName: 'queue',
	roots: ['<rootDir>/test/queue'],
	setupFilesAfterEnv: ['<rootDir>/test/queue/support/setUpTests.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [unit, compat, service, e2e, queue],
	// Jest takes these for all projects alike. The scripts in package.json give those of a whole n8n
	// more workers, since most of their time is waiting.
	maxWorkers: 2,
	// A test takes a few seconds, and on a busy machine a minute.
	testTimeout: 180_000,
	testSequencer: '<rootDir>/test/e2e/support/longestFirst.js',
	// For `npm run coverage` only.
	collectCoverageFrom: ['{credentials,nodes}/**/*.ts'],
	coverageReporters: ['text-summary', 'json-summary'],
	coverageThreshold: { global: { lines: 99.7, branches: 96.7 } },
};

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Stryker } from '@stryker-mutator/core';

const { projects, testTimeout } = createRequire(import.meta.url)('../../jest.config.js');
const [unit] = projects;

const modules = readdirSync('nodes').filter((name) => existsSync(`test/nodes/${name}`));
// What shows only when the whole node runs, or the credential.
const TESTED_ELSEWHERE = {
	jobs: ['nodes/BrowserAgent/**/*'],
	service: ['credentials/*', 'nodes/BrowserAgent/{account,agentRun,hostile,job,service,workflow}*'],
};
const [module, ...files] = process.argv.slice(2);

if (module === undefined || !modules.includes(module)) {
	console.error(`Usage: npm run mutation -- <${modules.join(' | ')}> [file …]`);
	process.exit(1);
}

const tests = [`nodes/${module}/**/*`, ...(TESTED_ELSEWHERE[module] ?? [])];

/** Changes the code of one module, or of some of its files, bit by bit, and runs its tests: which change goes unseen? */
await new Stryker({
	mutate:
		files.length === 0
			? [`nodes/${module}/**/*.ts`]
			: files.map((file) => `nodes/${module}/${file}.ts`),
	testRunner: 'jest',
	jest: {
		config: {
			...unit,
			testTimeout,
			testMatch: tests.map((path) => `<rootDir>/test/${path}.test.ts`),
			runner: '<rootDir>/dev/mutation/SelectiveRunner.cjs',
			testEnvironment: './dev/mutation/BailEnvironment.cjs',
		},
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	// They are evaluated once, when a file is loaded, and would each need a run of all tests.
	ignoreStatic: true,
	concurrency: 2,
	// More than enough for an endless loop, also on a busy machine.
	timeoutMS: 30_000,
	dryRunTimeoutMinutes: 20,
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { allowColor: false, reportTests: false },
	thresholds: { high: 90, low: 85, break: null },
}).runMutationTest();

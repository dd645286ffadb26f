const { readFileSync, writeFileSync } = require('node:fs');
const { default: TestRunner } = require('jest-runner');

// In the folder of the mutation run, which all of its processes share.
const TEST_FILES = 'mutation-test-files.json';

/** Runs only files with selected tests, until one fails: to load all for each mutant takes too long. */
module.exports = class SelectiveRunner extends TestRunner {
	async runTests(tests, watcher, options) {
		const { testNamePattern } = this._globalConfig;
		if (testNamePattern === undefined) return await this.runAll(tests, watcher, options);

		const files = JSON.parse(readFileSync(TEST_FILES, 'utf8'));
		const isSelected = new RegExp(testNamePattern);
		const selected = tests
			.filter(({ path }) => files[path].names.some((name) => isSelected.test(name)))
			.sort((one, other) => files[one.path].ms - files[other.path].ms);
		let hasFailed = false;
		this.on('test-file-success', ([, { numFailingTests }]) => {
			hasFailed ||= numFailingTests > 0;
		});
		for (const test of selected) {
			if (!hasFailed) await super.runTests([test], watcher, options);
		}
	}

	/** Stryker's first run, without a mutant. */
	async runAll(tests, watcher, options) {
		const files = {};
		this.on('test-file-success', ([{ path }, { perfStats, testResults }]) => {
			const names = testResults.map(({ fullName }) => fullName);
			files[path] = { ms: perfStats.end - perfStats.start, names };
		});
		await super.runTests(tests, watcher, options);
		writeFileSync(TEST_FILES, JSON.stringify(files));
	}
};

const { moduleNameMapper, transform, transformIgnorePatterns } = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	moduleNameMapper,
	transform,
	transformIgnorePatterns,
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/retryOnce.ts'],
	testSequencer: '<rootDir>/test/e2e/support/longestFirst.js',
	// Each file has its own n8n, and most of its time is waiting. An n8n needs half a gigabyte of memory.
	maxWorkers: 3,
	testTimeout: 180_000,
};

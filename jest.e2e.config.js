/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.all.json' }] },
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/retryOnce.ts'],
	// Each n8n needs half a gigabyte of memory and, while it starts, a whole core.
	maxWorkers: 1,
	testTimeout: 180_000,
};

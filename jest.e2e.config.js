/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.all.json' }] },
	globalSetup: '<rootDir>/test/e2e/support/prepare.ts',
	globalTeardown: '<rootDir>/test/e2e/support/cleanUp.ts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/tryTwice.ts'],
	// One n8n at a time: each takes half a gigabyte and, at its start, a whole core.
	maxWorkers: 1,
	testTimeout: 180_000,
};

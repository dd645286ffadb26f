/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// These need a whole n8n: jest.e2e.config.js and `npm run test:queue`.
	testPathIgnorePatterns: ['/node_modules/', '/test/e2e/', '/test/queue/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.all.json' }] },
	// Half of what a sandbox takes to start, for a check that is off.
	moduleNameMapper: {
		'^\\./openapi\\.schema\\.validator$': '<rootDir>/test/support/UncheckedDocument.ts',
	},
	globalSetup: '<rootDir>/test/support/temporaryFolder.ts',
	globalTeardown: '<rootDir>/test/support/removeTemporaryFolder.ts',
	// On two cores jest would take one; what the tests do is mostly waiting.
	maxWorkers: 2,
	// A test's vm makes each use of a global slow, and simulations use this one all the time.
	sandboxInjectedGlobals: ['Math'],
	testTimeout: 60_000,
};

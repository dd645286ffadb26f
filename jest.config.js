/** @type {import('jest').Config} */
module.exports = {
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// These need a whole n8n: jest.e2e.config.js and `npm run test:queue`.
	testPathIgnorePatterns: ['/node_modules/', '/test/e2e/', '/test/queue/'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.all.json' }],
		'/json-schema-faker/.+\\.js$': ['ts-jest', { tsconfig: { allowJs: true, target: 'es2022' } }],
	},
	// A library of the sandbox, for `import` only, which Jest turns into `require`.
	transformIgnorePatterns: ['/node_modules/(?!json-schema-faker/)'],
	// The second is half of what a sandbox takes to start, for a check that is off.
	moduleNameMapper: {
		'^json-schema-faker$': '<rootDir>/node_modules/json-schema-faker/dist/index.js',
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

const e2eConfig = require('./jest.e2e.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...e2eConfig,
	roots: ['<rootDir>/test/queue'],
	testTimeout: 600_000,
};

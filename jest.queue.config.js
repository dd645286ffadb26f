const endToEnd = require('./jest.e2e.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...endToEnd,
	roots: ['<rootDir>/test/queue'],
	testTimeout: 600_000,
};

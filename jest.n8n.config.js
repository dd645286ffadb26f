const e2eConfig = require('./jest.e2e.config.js');

/** All tests that need a whole n8n, in one run: those of queue mode wait most of the time. */
/** @type {import('jest').Config} */
module.exports = {
	...e2eConfig,
	roots: ['<rootDir>/test/e2e', '<rootDir>/test/queue'],
};

const { TestEnvironment } = require('jest-environment-node');

/** Skips the rest of a file's tests after the first failure: it is enough to know that a change is seen. */
module.exports = class BailEnvironment extends TestEnvironment {
	hasFailed = false;

	handleTestEvent(event) {
		if (event.name === 'test_done' && event.test.errors.length > 0) this.hasFailed = true;
		if (event.name === 'test_start' && this.hasFailed) event.test.mode = 'skip';
	}
};

const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// Jest ends a worker that takes more than 500 ms to end, and warns of a leak. Node.js needs longer
// to take down a large heap, on a busy machine also by `process.exit`. This event comes only when
// nothing is left to do, so a timer or a connection that a test has left behind still keeps the
// worker, and is reported. Without workers the process is Jest's own, which has an exit code.
const isWorker = process.send !== undefined;
if (isWorker) process.once('beforeExit', () => process.kill(process.pid, 'SIGKILL'));

/**
 * Runs tests in the worker's own context, where its packages are: in a context of its own, as Jest
 * makes one for each test file, `instanceof Error` would be false for the packages' errors, and
 * each use of a global is slow. What a test file replaces in it is put back at the end.
 */
module.exports = class WorkerEnvironment {
	global = globalThis;

	moduleMocker = new ModuleMocker(globalThis);

	fakeTimers = null;

	worker = { console: globalThis.console, exit: process.exit };

	constructor({ projectConfig }) {
		this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	/** WorkerRuntime.js needs none, but Jest runs modules only while there is one. */
	getVmContext() {
		return globalThis;
	}

	async setup() {}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		this.fakeTimersModern.dispose();
		globalThis.console = this.worker.console;
		process.exit = this.worker.exit;
	}
};

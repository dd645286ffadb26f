const { default: Sequencer } = require('@jest/test-sequencer');

// Minutes of waiting for n8n's own timers: these files begin first, and the others run meanwhile.
// 'suspendedWait.test.ts' is in both folders.
const LONG = [
	'queue/queue.test.ts',
	'queue/crashedCheck.test.ts',
	'queue/durableTrigger.test.ts',
	'suspendedWait.test.ts',
	'suspendedWaitSettings.test.ts',
	'pictures.test.ts',
	'e2e/trigger.test.ts',
];

/** Puts these files before all others: without a cache jest can't know that they take long. */
module.exports = class LongestFirst extends Sequencer {
	async sort(tests) {
		const rank = ({ path }) => {
			const index = LONG.findIndex((name) => path.endsWith(name));
			return index === -1 ? LONG.length : index;
		};
		return (await super.sort(tests)).sort((one, other) => rank(one) - rank(other));
	}
};

import { secondsToNextRound } from '../../../../nodes/BrowserAgent/suspend/timing';
import type { StoredItem } from '../../../../nodes/BrowserAgent/types';

const MINUTE = 60;

/** A job whose wait was suspended at 0 s; times are in seconds. */
function aWait({ deadline = 1e6, isOver = false } = {}): StoredItem {
	if (isOver) return { itemIndex: 0, outcome: { kind: 'output', json: {} } };
	return {
		itemIndex: 0,
		outcome: {
			kind: 'suspended',
			wait: { deadline: deadline * 1000 },
		},
	} as StoredItem;
}

it.each<[string, number, StoredItem[], number]>([
	['after more than the 65 s that n8n holds a worker for, at first', 0, [aWait()], 66],
	['after as long for the first minutes', 8 * MINUTE, [aWait()], 66],
	['later as the wait continues', 20 * MINUTE, [aWait()], 150],
	['after five minutes at most', 3 * 60 * MINUTE, [aWait()], 300],
	['at the deadline', 3 * 60 * MINUTE, [aWait({ deadline: 3 * 60 * MINUTE + 100 })], 100],
	['after the deadline if n8n would not store a shorter wait', 100, [aWait({ deadline: 110 })], 66],
	[
		'at the first deadline of several jobs',
		3 * 60 * MINUTE,
		[aWait(), aWait({ deadline: 3 * 60 * MINUTE + 100 })],
		100,
	],
	['without regard to jobs that have ended', 0, [aWait({ isOver: true }), aWait()], 66],
])('The next round of a suspended wait comes %s', (_label, nowSeconds, items, expected) => {
	const state = {
		items,
		continueOnFail: false,
		node: { id: '1', name: 'Browser Agent' },
		version: 1 as const,
		suspendedExecutionId: '1',
		suspendedAt: 0,
	};

	expect(secondsToNextRound(state, nowSeconds * 1000)).toBe(expected);
});

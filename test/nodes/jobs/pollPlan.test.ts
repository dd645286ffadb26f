import { choosePoll } from '../../../nodes/jobs/pollPlan';
import type { WaitEntry } from '../../../nodes/jobs/pollPlan';

const SECOND = 1_000;
const MINUTE = 60_000;
const NOW = 600 * MINUTE;
const LIMIT = { callsPerMs: 60 / MINUTE, allowedCalls: 60, freeCalls: 60 };

/** A waiting job of some age that was polled some time ago; unset: never. */
function waiting(
	ageMs: number,
	polledAgoMs?: number,
	{ deadline = Infinity, minIntervalMs = 0, ...entry }: Partial<WaitEntry & WaitEntry['job']> = {},
): WaitEntry {
	const job = { startedAt: NOW - ageMs, minIntervalMs, deadline } as WaitEntry['job'];
	const lastPollAt = polledAgoMs === undefined ? undefined : NOW - polledAgoMs;
	return { job, lastPollAt, pauseMs: 0, isPolling: false, jitter: 0, ...entry };
}

function dueInMs(entry: WaitEntry, freeCalls = 60, others = 0): number {
	const polled = Array.from({ length: others }, () => waiting(0, 0, { isPolling: true }));
	return choosePoll(new Set([entry, ...polled]), { ...LIMIT, freeCalls }, NOW).dueAt - NOW;
}

describe('choosePoll', () => {
	it.each([
		['a second at first', waiting(0, 0), 60, 199, SECOND],
		['a second up to an age of 17 s', waiting(17 * SECOND, 0), 60, 199, SECOND],
		['a seventeenth of its age from then on', waiting(34 * SECOND, 0), 60, 199, 2 * SECOND],
		['5.5 s for a quarter of an hour', waiting(13 * MINUTE, 0), 60, 199, 5_500],
		['a 150th of the age of long jobs', waiting(50 * MINUTE, 0), 60, 199, 20 * SECOND],
		['30 s at most', waiting(4 * 60 * MINUTE, 0), 60, 199, 30 * SECOND],
		['a full turn of all jobs without a free call', waiting(0, 0), 0, 199, 200 * SECOND],
		['half a turn with half of the calls free', waiting(0, 0), 30, 199, 100 * SECOND],
		['its own interval if that is longer', waiting(34 * SECOND, 0), 30, 1, 2 * SECOND],
		['15 % less of its own interval', waiting(34 * SECOND, 0, { jitter: -1 }), 60, 0, 1_700],
		['5 % more of a full turn', waiting(0, 0, { jitter: 1 }), 0, 199, 210 * SECOND],
		['the minimum interval', waiting(0, 0, { minIntervalMs: 20_000 }), 60, 0, 20_000],
		['the pause after an error', waiting(0, 0, { pauseMs: 30_000 }), 60, 0, 30_000],
		['the beginning of its wait if it was never seen', waiting(3_000), 0, 199, -3_000],
		['no time at its deadline', waiting(0, 0, { deadline: NOW }), 0, 199, -Infinity],
	])('a job is due after %s', (_label, entry, freeCalls, others, expected) => {
		expect(dueInMs(entry, freeCalls, others)).toBeCloseTo(expected);
	});

	it('takes the job that is due first', () => {
		const young = waiting(17 * SECOND, 2 * SECOND);
		const old = waiting(10 * MINUTE, 12 * SECOND);

		expect(choosePoll(new Set([young, old]), LIMIT, NOW).entry).toBe(old);
	});

	it('takes no job that is being polled', () => {
		const polling = waiting(MINUTE, MINUTE, { isPolling: true });

		expect(choosePoll(new Set([polling]), LIMIT, NOW)).toEqual({ dueAt: Infinity });
	});
});

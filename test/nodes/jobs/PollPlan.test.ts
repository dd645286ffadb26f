import { DurationHistory } from '../../../nodes/jobs/DurationHistory';
import { PollPlan } from '../../../nodes/jobs/PollPlan';
import type { WaitEntry } from '../../../nodes/jobs/WaitingJob';
import { fakeClock } from '../../support/fakeClock';

const SECOND = 1_000;
const MINUTE = 60_000;
const NOW = 10 * 60 * MINUTE;
const MANY = 1_000;

/** A waiting job of some age that was polled some time ago. */
function waiting(ageMs: number, polledAgoMs: number): WaitEntry {
	const job = { bornAt: NOW - ageMs, kinds: ['unknown'], minIntervalMs: 0 } as never;
	return { job, lastPollAt: NOW - polledAgoMs, notBefore: 0, isPolling: false, jitter: 1 };
}

/** The job that is polled next, of some of which each has its fair turn after `fairMs`. */
function chosen(entries: WaitEntry[], fairMs: number): WaitEntry | undefined {
	const callsPerMs = entries.length / fairMs;
	const limiter = { callsPerMs, freeCalls: MANY, allowedCalls: MANY };
	const plan = new PollPlan(limiter, new DurationHistory(), fakeClock(NOW));
	return plan.choose(new Set(entries)).entry;
}

describe('PollPlan', () => {
	// At 10 min a poll is worth having each 5.5 s, and at 17 s each second.
	it.each([
		['a young job that was polled 3 s ago', waiting(17 * SECOND, 3 * SECOND)],
		['an old one that was polled 20 s ago', waiting(10 * MINUTE, 20 * SECOND)],
	])('polls the job that is most overdue for its age: %s', (_label, mostOverdue) => {
		const young = waiting(17 * SECOND, 2 * SECOND);
		const old = waiting(10 * MINUTE, 12 * SECOND);

		expect(chosen([young, mostOverdue, old], 10 * MINUTE)).toBe(mostOverdue);
	});

	it('polls a job before all others once it has waited for its fair turn', () => {
		const young = waiting(17 * SECOND, 10 * SECOND);
		const old = waiting(60 * MINUTE, 30 * SECOND);

		expect(chosen([young, old], 29 * SECOND)).toBe(old);
		expect(chosen([young, old], 31 * SECOND)).toBe(young);
	});

	it('polls the one that has waited longest of several whose fair turn has come', () => {
		const young = waiting(17 * SECOND, 30 * SECOND);
		const old = waiting(60 * MINUTE, 31 * SECOND);

		expect(chosen([young, old], 10 * SECOND)).toBe(old);
	});
});

import {
	secondsToNextRound,
	suspendLater,
	type RoundPlan,
} from '../../../../nodes/BrowserAgent/suspend/schedule';
import type { Item } from '../../../../nodes/BrowserAgent/Run';
import type { TrackedJob } from '../../../../nodes/jobs/TrackedJob';
import { SimulatedClock } from '../../../../dev/engine/SimulatedClock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A single job, which began at 0 and was polled just now. */
function planAt(now: number, changes: Partial<RoundPlan> = {}): RoundPlan {
	return {
		now,
		from: now,
		startedAt: 0,
		firstDeadline: Infinity,
		suspendedJobs: 1,
		limiter: { spacingMs: SECOND, closedMs: 0 },
		random: 0.5,
		...changes,
	};
}

/** 170 suspended jobs, and a limiter in this state. */
function limitedPlan(limiter: Partial<RoundPlan['limiter']>): RoundPlan {
	const normal = { spacingMs: SECOND, closedMs: 0 };
	return planAt(0, { suspendedJobs: 170, limiter: { ...normal, ...limiter } });
}

it.each<[string, RoundPlan, number]>([
	['after more than the 65 s that n8n holds a worker for, at first', planAt(0), 66],
	['after as long for the first minutes', planAt(8 * MINUTE), 66],
	['after an eighth of the age of its job', planAt(20 * MINUTE), 150],
	['after five minutes at most', planAt(3 * HOUR), 300],
	['counted from the last poll', planAt(3 * HOUR, { from: 3 * HOUR - MINUTE }), 240],
	['a quarter earlier', planAt(3 * HOUR, { random: 0 }), 225],
	['or later, so that executions do not resume together', planAt(3 * HOUR, { random: 1 }), 375],
	['at the first deadline', planAt(3 * HOUR, { firstDeadline: 3 * HOUR + 100 * SECOND }), 100],
	['after the deadline if n8n would not store it', planAt(HOUR, { firstDeadline: HOUR + 1 }), 66],
	['so that 170 jobs take turns within the limit', planAt(0, { suspendedJobs: 170 }), 200],
	['later while the share of the limit is reduced', limitedPlan({ spacingMs: 2 * SECOND }), 400],
	['not before a Retry-After is over', limitedPlan({ closedMs: HOUR }), 3600],
])('The next round of a suspended wait comes %s', (_label, plan, expected) => {
	expect(secondsToNextRound(plan)).toBe(expected);
});

describe('The waits of a run are suspended', () => {
	const JOBS: TrackedJob[][] = [[], []];
	const ITEMS = JOBS.map((jobs, index) => ({ index, entry: { jobs } }) as unknown as Item);

	/** Both items wait from `secondAt` on. Returns in how many ms to suspend a wait of this length. */
	async function msToSuspension({ secondAt = 0, msLeft = HOUR, timeoutSeconds = Infinity } = {}) {
		const clock = new SimulatedClock(0);
		const suspension = suspendLater({ clock, beganAt: 0 }, ITEMS, timeoutSeconds);
		suspension.markIdle(JOBS[0] ?? []);
		const before = suspension.msToSuspension(msLeft, 0);
		await clock.sleep(secondAt);
		suspension.markIdle(JOBS[1] ?? []);
		return { before, after: suspension.msToSuspension(msLeft, 0) };
	}

	it('a minute after it began', async () => {
		expect(await msToSuspension()).toEqual({ before: Infinity, after: MINUTE });
	});

	it('when its last item has begun to wait', async () => {
		expect(await msToSuspension({ secondAt: 90 * SECOND })).toEqual({
			before: Infinity,
			after: 0,
		});
	});

	it.each([
		[130, MINUTE],
		[129, Infinity],
	])('if n8n can resume them by their deadline, after %d s', async (seconds, expected) => {
		expect((await msToSuspension({ msLeft: seconds * SECOND })).after).toBe(expected);
	});

	it.each([
		[160, MINUTE],
		[159, Infinity],
	])("if they end before 'Timeout After' of %d s", async (timeoutSeconds, expected) => {
		expect((await msToSuspension({ timeoutSeconds })).after).toBe(expected);
	});
});

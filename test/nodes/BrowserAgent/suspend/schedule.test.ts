import {
	secondsToNextRound,
	suspendAgain,
	suspendLater,
	type RoundPlan,
} from '../../../../nodes/BrowserAgent/suspend/schedule';
import { waitForEnd } from '../../../../nodes/jobs/waitForEnd';
import type { JobWait, Suspension } from '../../../../nodes/jobs/Work';
import { createWork } from '../../../../dev/engine/createWork';
import { SimulatedAccount } from '../../../../dev/engine/SimulatedAccount';
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
		polledShare: 1,
		suspendedWaits: 1,
		limiter: { spacingMs: SECOND, unreducedSpacingMs: SECOND, closedMs: 0 },
		random: 0.5,
		...changes,
	};
}

/** 170 suspended jobs, and a limiter in this state. */
function limitedPlan(limiter: Partial<RoundPlan['limiter']>): RoundPlan {
	const normal = { spacingMs: SECOND, unreducedSpacingMs: SECOND, closedMs: 0 };
	return planAt(0, { suspendedWaits: 170, limiter: { ...normal, ...limiter } });
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
	['so that 170 jobs take turns within the limit', planAt(0, { suspendedWaits: 170 }), 200],
	['later while the share of the limit is reduced', limitedPlan({ spacingMs: 2 * SECOND }), 400],
	[
		'after half an hour at most however small the share is',
		limitedPlan({ spacingMs: 200 * SECOND }),
		1800,
	],
	[
		'later if the whole limit has no room before',
		limitedPlan({ spacingMs: 200 * SECOND, unreducedSpacingMs: 15 * SECOND }),
		3000,
	],
	[
		'sooner if the last round has polled only a part of 300 jobs',
		planAt(0, { suspendedWaits: 300, polledShare: 0.25 }),
		89,
	],
	[
		'but never too soon for n8n to store it',
		planAt(0, { suspendedWaits: 300, polledShare: 0.01 }),
		66,
	],
	['not before a Retry-After is over', limitedPlan({ closedMs: HOUR }), 3600],
])('The next round of a suspended wait comes %s', (_label, plan, expected) => {
	expect(secondsToNextRound(plan)).toBe(expected);
});

describe('The waits of a run are suspended', () => {
	const [FIRST, SECOND_WAIT] = [{} as JobWait, {} as JobWait];
	let clock: SimulatedClock;

	beforeEach(() => {
		clock = new SimulatedClock(0);
		clock.hold();
	});

	/** Two items wait between two polls, for this long. Returns when they are suspended. */
	async function suspendedAfter({ msLeft = HOUR, timeoutSeconds = Infinity } = {}) {
		const { signal } = new AbortController();
		const suspension = suspendLater({ clock, beganAt: 0, signal }, 2, timeoutSeconds);
		for (const wait of [FIRST, SECOND_WAIT]) {
			suspension.recordSleep(wait, { endsAt: msLeft, hasPolled: false });
		}
		let suspendedAt: number | undefined;
		suspension.signal.addEventListener('abort', () => (suspendedAt = clock.elapsed()), {
			once: true,
		});
		await clock.advance(2 * MINUTE);
		return suspendedAt;
	}

	it('a minute after it began', async () => {
		expect(await suspendedAfter()).toBe(MINUTE);
	});

	it.each([
		[130, MINUTE],
		[129, undefined],
	])('if n8n can resume them by their deadline, after %d s', async (seconds, expected) => {
		expect(await suspendedAfter({ msLeft: seconds * SECOND })).toBe(expected);
	});

	it.each([
		[160, MINUTE],
		[159, undefined],
	])("if they end before 'Timeout After' of %d s", async (timeoutSeconds, expected) => {
		expect(await suspendedAfter({ timeoutSeconds })).toBe(expected);
	});

	it('only while no item does anything else', async () => {
		const { signal } = new AbortController();
		const suspension = suspendLater({ clock, beganAt: 0, signal }, 2);
		const pause = { endsAt: HOUR, hasPolled: true };
		suspension.recordSleep(FIRST, pause);
		await clock.advance(2 * MINUTE);
		const whileStarting = suspension.signal.aborted;
		suspension.recordAwake(FIRST);
		suspension.recordSleep(SECOND_WAIT, pause);
		const whilePolling = suspension.signal.aborted;
		suspension.recordSleep(FIRST, pause);

		expect([whileStarting, whilePolling, suspension.signal.aborted]).toEqual([false, false, true]);
	});
});

it('The waits of a run are suspended after one of them has ended without a turn for its last look', async () => {
	const account = new SimulatedAccount();
	const { clock } = account;
	const client = account.connect();
	const { signal } = new AbortController();
	const suspension = suspendLater({ clock, beganAt: 0, signal }, 2);
	const start = (deadline: number) => {
		const { id: job_id } = account.givenJob(10 * MINUTE);
		const job = { state: 'started' as const, job_id };
		const work = createWork({ clock, client, job, signal, suspension });
		const options = { returnInsteadOfFailing: [], waitWhileTakenOver: false };
		return waitForEnd(work, { beganAt: 0, deadline }, options);
	};
	for (let call = 0; call < 60; call++)
		await client.account.polls.run({ group: '1' }, async () => {});

	const short = start(30 * SECOND).catch(() => suspension.recordResults());
	const long = start(HOUR);

	await short;
	expect(await long).toEqual({ kind: 'suspended' });
	expect(clock.elapsed()).toBe(MINUTE);
});

describe('The waits of a round are suspended', () => {
	const [FIRST, SECOND_WAIT] = [{} as JobWait, {} as JobWait];
	const clock = new SimulatedClock(HOUR);
	let suspension: Suspension;

	beforeEach(() => {
		clock.reset();
		clock.hold();
		suspension = suspendAgain({ clock, signal: new AbortController().signal }, 2);
		for (const wait of [FIRST, SECOND_WAIT]) sleep(wait, false);
	});

	function sleep(wait: JobWait, hasPolled: boolean): void {
		suspension.recordSleep(wait, { endsAt: Infinity, hasPolled });
	}

	/** Polls a job, which takes no time. */
	function poll(wait: JobWait): void {
		suspension.recordAwake(wait);
		sleep(wait, true);
	}

	async function secondsUntilSuspended(): Promise<number> {
		const began = clock.elapsed();
		while (!suspension.signal.aborted && clock.elapsed() < began + MINUTE) {
			await clock.advance(SECOND);
		}
		return (clock.elapsed() - began) / SECOND;
	}

	it('once all jobs were polled', () => {
		poll(FIRST);
		const afterOne = suspension.signal.aborted;
		poll(SECOND_WAIT);

		expect([afterOne, suspension.signal.aborted]).toEqual([false, true]);
	});

	it('after three seconds without a turn', async () => {
		expect(await secondsUntilSuspended()).toBe(3);
	});

	it('three seconds after the last turn', async () => {
		await clock.advance(2 * SECOND);
		poll(FIRST);
		await clock.advance(2 * SECOND);
		poll(FIRST);

		expect(await secondsUntilSuspended()).toBe(3);
	});

	it('after half a minute, however many turns its polls have', async () => {
		for (let turn = 0; turn < 14; turn++) {
			await clock.advance(2 * SECOND);
			poll(FIRST);
		}

		expect(await secondsUntilSuspended()).toBe(2);
	});

	it('not while a poll is under way', async () => {
		suspension.recordAwake(FIRST);
		await clock.advance(MINUTE);
		const whilePolling = suspension.signal.aborted;
		sleep(FIRST, true);

		expect([whilePolling, suspension.signal.aborted]).toEqual([false, true]);
	});
});

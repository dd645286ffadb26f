import fc from 'fast-check';

import { createWork } from '../../../dev/engine/createWork';
import { SimulatedAccount } from '../../../dev/engine/SimulatedAccount';
import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { anySignal } from '../../../nodes/async/abortSignals';
import { NodeFailure } from '../../../nodes/errors/NodeFailure';
import { pollIntervalMs, waitForEnd } from '../../../nodes/jobs/waitForEnd';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';

const SECOND = 1_000;
const MINUTE = 60_000;
const CALLS_PER_MINUTE = 60;
const LATENCY_MS = 40;
const JITTER = 1.15;
// A last poll waits so long for its turn, and has so long for its response.
const MAX_LATE_MS = 4 * SECOND + LATENCY_MS;

const OPTIONS = { returnInsteadOfFailing: [], waitWhileTakenOver: false };

/** A wait for a job; times by the clock, in ms. */
interface PlannedWait {
	/** When it begins, and the job with it. */
	beginsAt?: number;
	/** How long the job runs after that; unset: it never ends. */
	durationMs?: number;
	/** Whether somebody else has started the job. */
	isForeign?: boolean;
	/** How long it is waited for. */
	maxWaitMs?: number;
	signal?: AbortSignal;
}

interface EndedWait {
	beganAt: number;
	polledAt: number[];
	endedAt: number;
	/** Whether the job was seen at its end. If not, the wait timed out or was stopped. */
	isFinished: boolean;
	isStopped: boolean;
}

/** Waits of one process for jobs of an account. */
class Waiter {
	readonly account: SimulatedAccount;

	private readonly client: ServiceClient;

	constructor(private readonly random = () => 0.5) {
		this.account = new SimulatedAccount({ random, latencyMs: () => LATENCY_MS / 2 });
		this.client = this.account.connect();
	}

	get clock(): SimulatedClock {
		return this.account.clock;
	}

	async wait(planned: PlannedWait): Promise<EndedWait> {
		const { beginsAt = 0, durationMs, maxWaitMs = Infinity, isForeign = false } = planned;
		const { signal = new AbortController().signal } = planned;
		const { account, client, clock, random } = this;
		await clock.sleep(beginsAt - clock.now());
		const beganAt = clock.now();
		const { id: jobId } = account.givenJob(durationMs);

		const start = isForeign ? undefined : { at: beganAt };
		const job = { state: 'started' as const, job_id: jobId, start };
		const work = createWork({ clock, client, job, signal });
		const deadline = beganAt + maxWaitMs;
		const outcome = await waitForEnd(work, { beganAt, deadline }, OPTIONS, random).catch(
			(error: unknown) => error,
		);
		const polledAt = account.polls.filter((poll) => poll.jobId === jobId).map(({ at }) => at);
		return {
			beganAt,
			polledAt,
			endedAt: clock.now(),
			isFinished: !(outcome instanceof Error),
			isStopped: outcome instanceof NodeFailure && outcome.details.isStopped === true,
		};
	}

	async waitForAll(planned: PlannedWait[]): Promise<EndedWait[]> {
		return await Promise.all(planned.map(async (one) => await this.wait(one)));
	}

	/** Uses up all calls of the minute. */
	async exhaust(): Promise<void> {
		for (let call = 0; call < CALLS_PER_MINUTE; call++) {
			await this.client.account.polls.run({ group: '1' }, async () => {});
		}
	}
}

/** The time between the polls of a job, beginning with the wait. */
function gapsOf({ beganAt, polledAt }: EndedWait): number[] {
	return polledAt.map((time, index) => time - (polledAt[index - 1] ?? beganAt));
}

function maxInWindow(times: number[], windowMs: number): number {
	const sorted = [...times].sort((one, other) => one - other);
	let from = 0;
	return Math.max(
		0,
		...sorted.map((time, index) => {
			while ((sorted[from] ?? time) <= time - windowMs) from++;
			return index - from + 1;
		}),
	);
}

function repeat(count: number, planned: PlannedWait): PlannedWait[] {
	return Array.from({ length: count }, () => ({ ...planned }));
}

describe('A job is polled again after', () => {
	it.each([
		['a second at first', 0, SECOND],
		['a second up to an age of 17 s', 17 * SECOND, SECOND],
		['a seventeenth of its age from then on', 34 * SECOND, 2 * SECOND],
		['5.5 s for a quarter of an hour', 13 * MINUTE, 5_500],
		['a 150th of the age of long jobs', 50 * MINUTE, 20 * SECOND],
		['30 s at most', 4 * 60 * MINUTE, 30 * SECOND],
	])('%s', (_label, ageMs, expected) => {
		expect(pollIntervalMs(ageMs)).toBeCloseTo(expected);
	});

	it('an interval that varies by up to 15 %, so that processes do not poll in step', async () => {
		const waiters = [0, 0.999].map((random) => new Waiter(() => random));

		const waits = waiters.map(async (waiter) => await waiter.wait({ durationMs: 0 }));

		const [first = 0, second = 0] = (await Promise.all(waits)).flatMap(({ polledAt }) => polledAt);
		expect(first - LATENCY_MS / 2).toBeCloseTo(850, 0);
		expect(second - LATENCY_MS / 2).toBeCloseTo(1_150, 0);
	});
});

describe('A wait ends', () => {
	it('with a last poll before the polls of other waits that are due for longer', async () => {
		const waiter = new Waiter();
		const stop = new AbortController();
		const others = waiter.waitForAll(repeat(200, { isForeign: true, signal: stop.signal }));

		const wait = await waiter.wait({ beginsAt: 3 * MINUTE, maxWaitMs: 30 * SECOND });

		stop.abort();
		await others;
		expect(wait.polledAt.at(-1)).toBeGreaterThanOrEqual(210 * SECOND);
		expect(wait.endedAt).toBeLessThan(212 * SECOND);
	});

	it('at once when its signal is aborted while it waits for a free call', async () => {
		const waiter = new Waiter();
		await waiter.exhaust();
		const stop = new AbortController();
		const stopped = waiter.waitForAll(
			repeat(3, { signal: anySignal(stop.signal), isForeign: true }),
		);
		await waiter.clock.sleep(SECOND);

		stop.abort();

		for (const wait of await stopped)
			expect(wait).toMatchObject({ isStopped: true, endedAt: SECOND });
		expect(waiter.clock.sleepers).toBe(0);
	});
});

describe('Waits, whatever arrives and ends', () => {
	const plan = fc.record({
		beginsAt: fc.nat(5 * MINUTE),
		durationMs: fc.nat(10 * MINUTE),
		isForeign: fc.boolean(),
		maxWaitMs: fc.constantFrom(Infinity, Infinity, 3 * MINUTE),
	});

	it('overfill no window, starve no job, and keep their deadlines', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 120 }), async (plans) => {
				const waiter = new Waiter();

				const waits = await waiter.waitForAll(plans);

				expect(
					maxInWindow(
						waiter.account.polls.map(({ at }) => at),
						MINUTE,
					),
				).toBeLessThanOrEqual(CALLS_PER_MINUTE);
				waits.forEach((wait, index) => {
					const { maxWaitMs = Infinity, durationMs = 0 } = plans[index] ?? {};
					const deadline = wait.beganAt + maxWaitMs;
					const regular = wait.polledAt.filter((time) => time < deadline);
					const gaps = gapsOf({ ...wait, polledAt: regular });
					// Before it is their turn again, all others may have had theirs, and a whole window.
					const fairGap = (plans.length / CALLS_PER_MINUTE) * MINUTE + MINUTE;
					const plain = pollIntervalMs(wait.endedAt - wait.beganAt) * JITTER;
					expect(Math.max(0, ...gaps)).toBeLessThan(fairGap + plain);
					expect(wait.endedAt).toBeLessThanOrEqual(deadline + MAX_LATE_MS);
					if (wait.isFinished) expect(wait.endedAt).toBeGreaterThan(wait.beganAt + durationMs);
				});
			}),
			{ numRuns: 10 },
		);
	});
});

it('A wait that reads a failed job again ends at a Stop', async () => {
	const account = new SimulatedAccount();
	const stop = new AbortController();
	const { id: job_id } = account.givenJob();
	account.fault({ endpoint: 'getJob', kind: 'hang' });
	const work = createWork({
		clock: account.clock,
		client: account.connect(),
		signal: stop.signal,
		job: { state: 'ended', job_id, status: 'failed' },
	});
	const wait = { beganAt: 0, deadline: Infinity };
	const waiting = waitForEnd(work, wait, OPTIONS).catch((error: unknown) => error);

	stop.abort();

	expect(await waiting).toMatchObject({ details: { isStopped: true } });
});

it('A job whose last poll failed is polled after one that was not polled for longer', async () => {
	const account = new SimulatedAccount();
	const { clock } = account;
	const client = account.connect();
	const stop = new AbortController();
	const [failing, other] = [account.givenJob(), account.givenJob()];
	await clock.sleep(10 * MINUTE);
	const wait = (jobId: string, seenAt: number, failedAt?: number) => {
		const job = { state: 'started' as const, job_id: jobId, seenAt };
		const work = createWork({ clock, client, signal: stop.signal, job });
		return waitForEnd(work, { beganAt: 0, deadline: Infinity, failedAt }, OPTIONS).catch(() => {});
	};

	const waits = [wait(failing.id, MINUTE, 9 * MINUTE), wait(other.id, 5 * MINUTE)];
	await clock.sleep(0.5 * SECOND);

	stop.abort();
	await Promise.all(waits);
	expect(account.polls.map(({ jobId }) => jobId)).toEqual([other.id, failing.id]);
});

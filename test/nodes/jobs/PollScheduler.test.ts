import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { anySignal } from '../../../nodes/async/abortSignals';
import { ownIntervalMs, type WaitingJob } from '../../../nodes/jobs/pollPlan';
import { PollScheduler } from '../../../nodes/jobs/PollScheduler';
import { RateLimiter } from '../../../nodes/service/RateLimiter';
import { fakeClock } from '../../support/fakeClock';

const SECOND = 1_000;
const MINUTE = 60_000;
const CALLS_PER_MINUTE = 60;
const LATENCY_MS = 40;
const JITTER = 1.15;

/** A job in the simulation; times in ms of the clock. */
interface SimulatedJob {
	/** When it is started, or when the wait for it begins. */
	beginsAt?: number;
	/** How long it runs after that. */
	durationMs?: number;
	/** Whether somebody else has started it. */
	isForeign?: boolean;
	minIntervalMs?: number;
	/** How long it is waited for. */
	maxWaitMs?: number;
	signal?: AbortSignal;
}

interface SimulatedWait {
	beganAt: number;
	polledAt: number[];
	endedAt: number;
	reason: 'status' | 'deadline' | 'aborted';
}

/** One account on the tests' clock, with a service behind it that knows nothing but durations. */
class Simulation {
	readonly clock = fakeClock(0);

	readonly limiter = new RateLimiter(
		{ calls: CALLS_PER_MINUTE, windowMs: MINUTE },
		this.clock,
		() => 0.5,
	);

	readonly scheduler: PollScheduler;

	/** When polls arrived at the service, in order. */
	readonly polls: number[] = [];

	constructor(random = () => 0.5) {
		this.scheduler = new PollScheduler(this.limiter, this.clock, random);
	}

	async wait(job: SimulatedJob): Promise<SimulatedWait> {
		const { beginsAt = 0, durationMs = Infinity, maxWaitMs = Infinity, isForeign = false } = job;
		const { signal = new AbortController().signal } = job;
		await this.clock.sleep(beginsAt - this.clock.now());
		const beganAt = this.clock.now();
		const polledAt: number[] = [];

		const reason = await new Promise<SimulatedWait['reason']>((end) => {
			this.scheduler.add({
				startedAt: beganAt,
				seenAt: isForeign ? undefined : beganAt,
				minIntervalMs: job.minIntervalMs ?? 0,
				deadline: beganAt + maxWaitMs,
				signal,
				poll: async (permit) => {
					await this.clock.sleep(LATENCY_MS / 2);
					polledAt.push(this.clock.now());
					this.polls.push(this.clock.now());
					const isOver = this.clock.now() >= beganAt + durationMs;
					await this.clock.sleep(LATENCY_MS / 2);
					permit.release();
					if (!isOver) return 0;
					end('status');
					return undefined;
				},
				end,
			});
		});
		return { beganAt, polledAt, endedAt: this.clock.now(), reason };
	}

	async waitForAll(jobs: SimulatedJob[]): Promise<SimulatedWait[]> {
		return await Promise.all(jobs.map(async (job) => await this.wait(job)));
	}
}

/** The time between the polls of a job, beginning with the wait. */
function gapsOf({ beganAt, polledAt }: SimulatedWait): number[] {
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

function repeat(count: number, job: SimulatedJob): SimulatedJob[] {
	return Array.from({ length: count }, () => ({ ...job }));
}

// When a job is due is tested with `choosePoll`, waits as a user meets them with Job: Wait.
describe('PollScheduler', () => {
	it('spreads its polls by up to 15 %, so that processes do not march in step', async () => {
		const simulations = [0, 0.999].map((random) => new Simulation(() => random));

		const waits = simulations.map(async (simulation) => await simulation.wait({ durationMs: 0 }));

		const [first = 0, second = 0] = (await Promise.all(waits)).flatMap(({ polledAt }) => polledAt);
		expect(first - LATENCY_MS / 2).toBeCloseTo(850, 0);
		expect(second - LATENCY_MS / 2).toBeCloseTo(1_150, 0);
	});
});

describe('PollScheduler at the end of a wait', () => {
	it('gives up the last poll some 2 s after the deadline if there is no free call', async () => {
		const simulation = new Simulation();
		for (let call = 0; call < CALLS_PER_MINUTE; call++)
			(await simulation.limiter.acquire({})).release();

		const wait = await simulation.wait({ maxWaitMs: 5 * SECOND });

		expect(wait.reason).toBe('deadline');
		expect(wait.polledAt).toEqual([]);
		expect(Math.abs(wait.endedAt - 7 * SECOND)).toBeLessThan(SECOND / 2);
	});

	it('ends waits at once when their signal is aborted, in the middle of a poll, too', async () => {
		const simulation = new Simulation();
		const stop = new AbortController();
		const stopped = simulation.waitForAll(repeat(3, { signal: stop.signal, isForeign: true }));
		const other = simulation.wait({ durationMs: 10 * SECOND });
		await simulation.clock.sleep(LATENCY_MS / 4);

		stop.abort();

		for (const wait of await stopped)
			expect(wait).toMatchObject({ reason: 'aborted', endedAt: LATENCY_MS / 4 });
		expect((await other).reason).toBe('status');
	});

	it('keeps nothing of a wait that has ended, once its run has ended, too', async () => {
		setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const simulation = new Simulation();
		const runEnd = new AbortController();
		const waits: Array<WeakRef<WaitingJob>> = [];
		const add = jest.spyOn(simulation.scheduler, 'add').mockImplementation((job) => {
			waits.push(new WeakRef(job));
			PollScheduler.prototype.add.call(simulation.scheduler, job);
		});

		await simulation.wait({ durationMs: SECOND, signal: anySignal(runEnd.signal) });
		runEnd.abort();

		add.mockRestore();
		// A reference that was read is kept until the next turn of the event loop.
		await nextTurn();
		collectGarbage();
		expect(waits.map((wait) => wait.deref())).toEqual([undefined]);
	});

	it('accepts further waits after the last one has ended', async () => {
		const simulation = new Simulation();
		await simulation.wait({ durationMs: SECOND });
		await simulation.clock.sleep(10 * MINUTE);

		const wait = await simulation.wait({ durationMs: SECOND });

		expect(wait.reason).toBe('status');
	});
});

describe('PollScheduler with more jobs than calls', () => {
	it.each([150, 200])('uses all calls and polls %i jobs in fair turns', async (count) => {
		const simulation = new Simulation();
		const stop = new AbortController();
		const waiting = simulation.waitForAll(repeat(count, { isForeign: true, signal: stop.signal }));
		const duration = 12 * MINUTE;
		await simulation.clock.sleep(duration);

		stop.abort();

		const waits = await waiting;
		const callsAllowed = (CALLS_PER_MINUTE * duration) / MINUTE;
		const fairGap = (count / CALLS_PER_MINUTE) * MINUTE;
		expect(simulation.polls.length).toBeGreaterThan(0.95 * callsAllowed);
		expect(Math.max(...waits.flatMap(gapsOf))).toBeLessThan(1.25 * fairGap);
	});
});

describe('PollScheduler, whatever arrives and ends', () => {
	const job = fc.record({
		beginsAt: fc.nat(5 * MINUTE),
		durationMs: fc.nat(10 * MINUTE),
		isForeign: fc.boolean(),
		minIntervalMs: fc.constantFrom(0, 0, 10 * SECOND, 45 * SECOND),
		maxWaitMs: fc.constantFrom(Infinity, Infinity, 3 * MINUTE),
	});

	it('overfills no window, starves no job, and keeps minimum intervals and deadlines', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 120 }), async (jobs) => {
				const simulation = new Simulation();

				const waits = await simulation.waitForAll(jobs);

				expect(maxInWindow(simulation.polls, MINUTE)).toBeLessThanOrEqual(CALLS_PER_MINUTE);
				waits.forEach((wait, index) => {
					const { minIntervalMs = 0, maxWaitMs = Infinity, durationMs = 0 } = jobs[index] ?? {};
					const deadline = wait.beganAt + maxWaitMs;
					const regular = wait.polledAt.filter((time) => time < deadline);
					const gaps = gapsOf({ ...wait, polledAt: regular });
					// Before it is their turn again, all others may have had theirs, and a whole window.
					const fairGap = (jobs.length / CALLS_PER_MINUTE) * MINUTE + MINUTE;
					const plain = ownIntervalMs(wait.endedAt - wait.beganAt) * JITTER;
					expect(Math.max(0, ...gaps)).toBeLessThan(fairGap + Math.max(plain, minIntervalMs));
					for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(minIntervalMs);
					expect(wait.endedAt).toBeLessThanOrEqual(deadline + 2 * SECOND + LATENCY_MS);
					if (wait.reason === 'status')
						expect(wait.endedAt).toBeGreaterThan(wait.beganAt + durationMs);
				});
			}),
			{ numRuns: 30 },
		);
	});
});

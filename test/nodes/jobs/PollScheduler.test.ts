import fc from 'fast-check';

import { VirtualClock } from '../../../dev/engine/virtualClock';
import { plainIntervalMs } from '../../../nodes/jobs/pollInterval';
import { PollScheduler } from '../../../nodes/jobs/PollScheduler';
import type { WaitingJob } from '../../../nodes/jobs/WaitingJob';
import { ServiceError } from '../../../nodes/errors/ServiceError';
import { RateLimiter } from '../../../nodes/service/RateLimiter';
import type { Job } from '../../../nodes/service/types';

const SECOND = 1_000;
const MINUTE = 60_000;
const CALLS_PER_MINUTE = 60;
const LATENCY_MS = 40;
const JITTER = 1.15;

/** A job in the simulation; times in ms of the virtual clock. */
interface SimulatedJob {
	jobId?: string;
	/** When it is started, or when the wait for it begins. */
	beginsAt?: number;
	/** How long it runs after that. */
	durationMs?: number;
	isNew?: boolean;
	kinds?: string[];
	minIntervalMs?: number;
	/** How long it is waited for. */
	maxWaitMs?: number;
	signal?: AbortSignal;
	/** What polls fail with, the first one first. */
	errors?: ServiceError[];
	/** The service's whole response to a poll. */
	body?: Job['body'];
	/** The pause after such an error; undefined ends the wait. */
	pauseAfterError?: (error: unknown) => number | undefined;
}

interface SimulatedWait {
	bornAt: number;
	polledAt: number[];
	endedAt: number;
	reason: 'status' | 'deadline' | 'aborted' | 'error';
}

/** One account on a virtual clock, with a service behind it that knows nothing but durations. */
class Simulation {
	readonly clock = new VirtualClock();

	readonly limiter = new RateLimiter(
		{ calls: CALLS_PER_MINUTE, windowMs: MINUTE },
		this.clock,
		() => 0.5,
	);

	readonly scheduler = new PollScheduler(this.limiter, this.clock, () => 0.5);

	/** When polls arrived at the service, in order. */
	readonly polls: number[] = [];

	private jobs = 0;

	async wait(job: SimulatedJob): Promise<SimulatedWait> {
		const { beginsAt = 0, durationMs = Infinity, maxWaitMs = Infinity, isNew = true } = job;
		const { jobId = `job_${this.jobs++}`, kinds = ['test'], minIntervalMs = 0 } = job;
		const {
			signal = new AbortController().signal,
			pauseAfterError = () => SECOND,
			body = {},
		} = job;
		const errors = [...(job.errors ?? [])];
		await this.clock.sleep(beginsAt - this.clock.now());
		const bornAt = this.clock.now();
		const polledAt: number[] = [];

		const reason = await new Promise<SimulatedWait['reason']>((end) => {
			const waiting: WaitingJob = {
				jobId,
				kinds,
				bornAt,
				isNew,
				minIntervalMs,
				deadline: bornAt + maxWaitMs,
				signal,
				poll: async (turn) => {
					await this.clock.sleep(LATENCY_MS / 2);
					polledAt.push(this.clock.now());
					this.polls.push(this.clock.now());
					const status = this.clock.now() >= bornAt + durationMs ? 'completed' : 'running';
					await this.clock.sleep(LATENCY_MS / 2);
					turn.end();
					const error = errors.shift();
					if (error !== undefined) throw error;
					return { job_id: jobId, status, body } satisfies Job;
				},
				receive(received) {
					if (received.status === 'completed') end('status');
					return received.status === 'completed';
				},
				fail(error) {
					const pauseMs = pauseAfterError(error);
					if (pauseMs === undefined) end('error');
					return pauseMs;
				},
				end,
			};
			this.scheduler.add(waiting);
		});
		return { bornAt, polledAt, endedAt: this.clock.now(), reason };
	}

	async waitForAll(jobs: SimulatedJob[]): Promise<SimulatedWait[]> {
		return await Promise.all(jobs.map(async (job) => await this.wait(job)));
	}
}

/** The time between the polls of a job, beginning with its birth. */
function gapsOf({ bornAt, polledAt }: SimulatedWait): number[] {
	return polledAt.map((time, index) => time - (polledAt[index - 1] ?? bornAt));
}

function delayOf({ bornAt, endedAt }: SimulatedWait, durationMs: number): number {
	return endedAt - bornAt - durationMs;
}

function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
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

describe('PollScheduler with one job', () => {
	it('polls a job that was just started after a second', async () => {
		const { polledAt } = await new Simulation().wait({ durationMs: 0 });

		expect(polledAt).toEqual([SECOND + LATENCY_MS / 2]);
	});

	it('polls a job that somebody else has started at once', async () => {
		const { polledAt } = await new Simulation().wait({ durationMs: 0, isNew: false });

		expect(polledAt).toEqual([LATENCY_MS / 2]);
	});

	it('polls in intervals that grow with the age of the job', async () => {
		const wait = await new Simulation().wait({ durationMs: 5 * MINUTE });

		const gaps = gapsOf(wait).map(Math.round);
		expect(gaps[0]).toBeLessThan(1.1 * SECOND);
		expect(gaps.at(-1)).toBeGreaterThan(5 * SECOND);
		expect(gaps).toEqual([...gaps].sort((one, other) => one - other));
	});

	it('sees ends of jobs of 1 to 10 minutes 3 s late on average, with at most 90 polls', async () => {
		const durations = Array.from(
			{ length: 20 },
			(_, index) => MINUTE * (1 + (9 * (index + 0.5)) / 20),
		);

		const waits = await Promise.all(
			durations.map(async (durationMs) => await new Simulation().wait({ durationMs })),
		);

		const delays = waits.map((wait, index) => delayOf(wait, durations[index] ?? 0));
		expect(mean(delays)).toBeLessThan(3 * SECOND);
		expect(mean(waits.map(({ polledAt }) => polledAt.length))).toBeLessThan(90);
	});

	it('sees the end within a second once ten jobs like it have ended', async () => {
		const simulation = new Simulation();
		for (let index = 0; index < 10; index++) {
			await simulation.wait({ durationMs: 5 * MINUTE + (index - 5) * 2 * SECOND });
		}

		const wait = await simulation.wait({ durationMs: 5 * MINUTE + SECOND / 2 });

		expect(delayOf(wait, 5 * MINUTE + SECOND / 2)).toBeLessThan(1.2 * SECOND);
	});

	it('is never later than the plain schedule when its prediction is wrong', async () => {
		const simulation = new Simulation();
		for (let index = 0; index < 10; index++) await simulation.wait({ durationMs: 20 * MINUTE });
		const durationMs = 3 * MINUTE;

		const wait = await simulation.wait({ durationMs });

		expect(delayOf(wait, durationMs)).toBeLessThan(
			plainIntervalMs(durationMs) * JITTER + LATENCY_MS,
		);
	});

	it('never polls more often than the minimum interval', async () => {
		const wait = await new Simulation().wait({
			durationMs: 2 * MINUTE,
			minIntervalMs: 20 * SECOND,
		});

		expect(Math.min(...gapsOf(wait))).toBeGreaterThanOrEqual(20 * SECOND);
	});

	it('spreads its polls by up to 15 %, so that processes do not march in step', async () => {
		const clock = new VirtualClock();
		const limiter = new RateLimiter({ calls: CALLS_PER_MINUTE, windowMs: MINUTE }, clock);
		const randoms = [0, 0.999];
		const polledAt: number[] = [];

		for (const random of randoms) {
			const scheduler = new PollScheduler(limiter, clock, () => random);
			const bornAt = clock.now();
			await new Promise<void>((resolve) => {
				scheduler.add({
					jobId: `job ${random}`,
					kinds: [],
					bornAt,
					isNew: true,
					minIntervalMs: 0,
					deadline: Infinity,
					signal: new AbortController().signal,
					async poll(turn) {
						polledAt.push(clock.now() - bornAt);
						turn.end();
						return { job_id: `job ${random}`, status: 'completed', body: {} };
					},
					receive() {
						resolve();
						return true;
					},
					fail: () => undefined,
					end: () => {},
				});
			});
		}

		expect(polledAt[0]).toBeCloseTo(850, 0);
		expect(polledAt[1]).toBeCloseTo(1_150, 0);
	});
});

describe('PollScheduler at the end of a wait', () => {
	it('polls once more at the deadline, however long the interval is', async () => {
		const wait = await new Simulation().wait({ maxWaitMs: 30 * SECOND, minIntervalMs: MINUTE });

		expect(wait.reason).toBe('deadline');
		expect(wait.polledAt).toEqual([30 * SECOND + LATENCY_MS / 2]);
		expect(wait.endedAt).toBe(30 * SECOND + LATENCY_MS);
	});

	it('returns the end that the last poll has seen', async () => {
		const wait = await new Simulation().wait({
			maxWaitMs: 30 * SECOND,
			minIntervalMs: MINUTE,
			durationMs: 10 * SECOND,
		});

		expect(wait.reason).toBe('status');
	});

	it('gives up the last poll 2 s after the deadline if there is no free call', async () => {
		const simulation = new Simulation();
		for (let call = 0; call < CALLS_PER_MINUTE; call++)
			(await simulation.limiter.acquire({})).end();

		const wait = await simulation.wait({ maxWaitMs: 5 * SECOND });

		expect(wait.reason).toBe('deadline');
		expect(wait.polledAt).toEqual([]);
		expect(wait.endedAt).toBe(7 * SECOND);
	});

	it('ends waits at once when their signal is aborted, in the middle of a poll, too', async () => {
		const simulation = new Simulation();
		const stop = new AbortController();
		const stopped = simulation.waitForAll(repeat(3, { signal: stop.signal, isNew: false }));
		const other = simulation.wait({ durationMs: 10 * SECOND });
		await simulation.clock.sleep(LATENCY_MS / 4);

		stop.abort();

		for (const wait of await stopped)
			expect(wait).toMatchObject({ reason: 'aborted', endedAt: LATENCY_MS / 4 });
		expect((await other).reason).toBe('status');
	});

	it('ends a wait whose signal is aborted already, without a poll', async () => {
		const simulation = new Simulation();

		const wait = await simulation.wait({ signal: AbortSignal.abort() });

		expect(wait).toMatchObject({ reason: 'aborted', polledAt: [] });
	});

	it('accepts further waits after the last one has ended', async () => {
		const simulation = new Simulation();
		await simulation.wait({ durationMs: SECOND });
		await simulation.clock.sleep(10 * MINUTE);

		const wait = await simulation.wait({ durationMs: SECOND });

		expect(wait.reason).toBe('status');
	});
});

describe('PollScheduler after errors', () => {
	const error = new ServiceError({ kind: 'serverError', statusCode: 503 });

	it('pauses for as long as the wait asks for, and continues', async () => {
		const wait = await new Simulation().wait({
			durationMs: SECOND,
			errors: [error],
			pauseAfterError: () => 20 * SECOND,
		});

		expect(wait.reason).toBe('status');
		expect(gapsOf(wait)[1]).toBeCloseTo(20 * SECOND + LATENCY_MS, -2);
	});

	it('ends the wait when a failed poll ends it', async () => {
		const wait = await new Simulation().wait({ errors: [error], pauseAfterError: () => undefined });

		expect(wait).toMatchObject({ reason: 'error' });
		expect(wait.polledAt).toHaveLength(1);
	});

	it('ends the wait at the deadline when the last poll fails, too', async () => {
		const wait = await new Simulation().wait({
			maxWaitMs: 10 * SECOND,
			errors: [error, error],
			pauseAfterError: () => MINUTE,
		});

		expect(wait.reason).toBe('deadline');
		expect(wait.polledAt).toHaveLength(2);
		expect(wait.endedAt).toBe(10 * SECOND + LATENCY_MS);
	});
});

describe('PollScheduler with what is known already', () => {
	it('ends all waits for a job with one poll', async () => {
		const simulation = new Simulation();
		const job = { jobId: 'job_1', durationMs: 10 * SECOND, kinds: ['a'] };

		const waits = await simulation.waitForAll([job, { ...job, isNew: false }, job]);

		const ends = waits.map(({ endedAt }) => endedAt);
		expect(new Set(ends).size).toBe(1);
	});

	it('does not poll a job again whose end it has seen', async () => {
		const simulation = new Simulation();
		const job = { jobId: 'job_1', durationMs: SECOND };
		await simulation.wait(job);
		const polls = simulation.polls.length;

		const again = await simulation.wait({ ...job, isNew: false });

		expect(again.reason).toBe('status');
		expect(simulation.polls).toHaveLength(polls);
	});

	it('keeps no job whose response is large: it is polled again', async () => {
		const simulation = new Simulation();
		const job = { jobId: 'job_1', durationMs: SECOND, body: { log: 'x'.repeat(1_000_000) } };
		await simulation.wait(job);

		const again = await simulation.wait({ ...job, isNew: false });

		expect(again.polledAt).not.toEqual([]);
	});
});

describe('PollScheduler with more jobs than calls', () => {
	it.each([150, 200])('uses all calls and polls %i jobs in fair turns', async (count) => {
		const simulation = new Simulation();
		const stop = new AbortController();
		const waiting = simulation.waitForAll(repeat(count, { isNew: false, signal: stop.signal }));
		const duration = 12 * MINUTE;
		await simulation.clock.sleep(duration);

		stop.abort();

		const waits = await waiting;
		const callsAllowed = (CALLS_PER_MINUTE * duration) / MINUTE;
		const fairGap = (count / CALLS_PER_MINUTE) * MINUTE;
		expect(simulation.polls.length).toBeGreaterThan(0.95 * callsAllowed);
		expect(Math.max(...waits.flatMap(gapsOf))).toBeLessThan(1.2 * fairGap);
	});

	it('keeps calls for ends that are likely: ten equal jobs are seen to end within 2 s', async () => {
		const simulation = new Simulation();
		await simulation.waitForAll(repeat(10, { durationMs: 40 * SECOND }));

		const second = await simulation.waitForAll(
			repeat(10, { beginsAt: 2 * MINUTE, durationMs: 40 * SECOND }),
		);

		const delays = second.map((wait) => delayOf(wait, 40 * SECOND));
		expect(mean(delays)).toBeLessThan(2 * SECOND);
	});

	it('leaves calls to users, however many jobs are waited for', async () => {
		const simulation = new Simulation();
		const stop = new AbortController();
		const waiting = simulation.waitForAll(repeat(200, { isNew: false, signal: stop.signal }));
		await simulation.clock.sleep(SECOND);
		const askedAt = simulation.clock.now();

		(await simulation.limiter.acquire({})).end();

		expect(simulation.clock.now()).toBe(askedAt);
		stop.abort();
		await waiting;
	});
});

describe('PollScheduler, whatever arrives and ends', () => {
	const job = fc.record({
		beginsAt: fc.nat(5 * MINUTE),
		durationMs: fc.nat(10 * MINUTE),
		isNew: fc.boolean(),
		kinds: fc.constantFrom<string[]>(['a', 'all'], ['b', 'all']),
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
					const deadline = wait.bornAt + maxWaitMs;
					const regular = wait.polledAt.filter((time) => time < deadline);
					const gaps = gapsOf({ ...wait, polledAt: regular });
					// Before it is their turn again, all others may have had theirs, and a whole window.
					const fairGap = (jobs.length / CALLS_PER_MINUTE) * MINUTE + MINUTE;
					const plain = plainIntervalMs(wait.endedAt - wait.bornAt) * JITTER;
					expect(Math.max(0, ...gaps)).toBeLessThan(fairGap + Math.max(plain, minIntervalMs));
					for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(minIntervalMs);
					expect(wait.endedAt).toBeLessThanOrEqual(deadline + 2 * SECOND + LATENCY_MS);
					if (wait.reason === 'status')
						expect(wait.endedAt).toBeGreaterThan(wait.bornAt + durationMs);
				});
			}),
			{ numRuns: 30 },
		);
	});
});

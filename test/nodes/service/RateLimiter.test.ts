import fc from 'fast-check';

import { RateLimiter, type AcquireOptions } from '../../../nodes/service/RateLimiter';
import { ServiceError, type ServiceErrorFacts } from '../../../nodes/errors/ServiceError';
import { fakeClock, type FakeClock } from '../../support/fakeClock';

const MINUTE_MS = 60_000;
// For clocks that run apart.
const WINDOW_MS = MINUTE_MS * 1.002;
const SHARE_KEPT = 0.75;

/** A limiter of so many calls a minute, and a service that notes when calls reach it. */
class TestLimiter {
	readonly clock: FakeClock = fakeClock(0);

	/** The names of the calls in the order of their arrival. */
	readonly names: string[] = [];

	/** When they have arrived. */
	readonly times: number[] = [];

	readonly limiter: RateLimiter;

	constructor(calls: number, random: () => number = () => 0) {
		this.limiter = new RateLimiter({ calls, windowMs: MINUTE_MS }, this.clock, random);
	}

	/** Makes a call that takes `takesMs`, and fails with `refusal` if that is given. */
	async call(
		name = 'call',
		options: AcquireOptions = {},
		{ takesMs = 0, refusal }: { takesMs?: number; refusal?: ServiceErrorFacts } = {},
	): Promise<string> {
		return await runPermitted(
			this.limiter,
			async () => {
				this.names.push(name);
				this.times.push(this.clock.now());
				await this.clock.sleep(takesMs);
				if (refusal !== undefined) throw new ServiceError(refusal);
				return name;
			},
			options,
		);
	}

	/** Makes so many calls at once. */
	async calls(count: number, ...rest: Parameters<TestLimiter['call']>): Promise<void> {
		await Promise.all(Array.from({ length: count }, async () => await this.call(...rest)));
	}

	/** Makes a call that gets a 429 a second later. */
	async refusedCall(retryAfterMs?: number): Promise<void> {
		const refusal: ServiceErrorFacts = { kind: 'rateLimited', retryAfterMs };
		await kindOf(this.call('rejected', {}, { takesMs: 1_000, refusal }));
	}

	get callsPerWindow(): number {
		return Math.round(this.limiter.callsPerMs * WINDOW_MS);
	}
}

/** Runs a call with a permit, as the client does. */
async function runPermitted<T>(
	limiter: RateLimiter,
	call: () => Promise<T>,
	options: AcquireOptions,
): Promise<T> {
	const permit = await limiter.acquire(options);
	try {
		const result = await call();
		permit.release();
		return result;
	} catch (error) {
		permit.release(error);
		throw error;
	}
}

/** How a call ended: `answered`, or the kind of its error. */
async function kindOf(call: Promise<unknown>): Promise<string> {
	return await call.then(
		() => 'answered',
		(error: unknown) => (error instanceof ServiceError ? error.kind : String(error)),
	);
}

describe('RateLimiter', () => {
	it('counts a call until a window after its answer, since it may have arrived late', async () => {
		const test = new TestLimiter(1);

		await Promise.all([test.call('slow', {}, { takesMs: 20_000 }), test.call('next')]);

		expect(test.times).toEqual([0, 20_000 + WINDOW_MS]);
	});

	it('lets executions take turns', async () => {
		const test = new TestLimiter(1);
		const callOf = async (execution: string, name: string) => await test.call(name, { execution });

		await Promise.all([callOf('a', 'a1'), callOf('a', 'a2'), callOf('a', 'a3'), callOf('b', 'b1')]);

		expect(test.names).toEqual(['a1', 'a2', 'b1', 'a3']);
	});

	describe('says how many calls would be granted at once', () => {
		it('fewer while calls are on their way, and until a window after their answers', async () => {
			const { clock, limiter } = new TestLimiter(3);
			const atFirst = limiter.freeCalls;
			const [permit, canceled] = [await limiter.acquire({}), await limiter.acquire({})];
			canceled.cancel();
			const onItsWay = limiter.freeCalls;
			permit.release();
			await clock.advance(WINDOW_MS - 1);
			const answered = limiter.freeCalls;

			await clock.advance(1);

			expect([atFirst, onItsWay, answered, limiter.freeCalls]).toEqual([3, 2, 2, 3]);
		});

		it('none until Retry-After has passed', async () => {
			const test = new TestLimiter(3);
			const refusal = { kind: 'rateLimited', retryAfterMs: 5 * MINUTE_MS } as const;
			await kindOf(test.call('rejected', {}, { refusal }));
			await test.clock.advance(5 * MINUTE_MS - 1);
			const before = test.limiter.freeCalls;

			await test.clock.advance(1);

			expect(before).toBe(0);
			expect(test.limiter.freeCalls).toBeGreaterThan(0);
		});

		it('none, and not less, with more calls on their way than a reduced share allows', async () => {
			const { clock, limiter } = new TestLimiter(4);
			const acquire = async () => await limiter.acquire({});
			const [first] = await Promise.all([acquire(), acquire(), acquire(), acquire()]);
			first.release(new ServiceError({ kind: 'rateLimited', retryAfterMs: 1 }));

			await clock.advance(1_000);

			expect(limiter.allowedCalls).toBe(3);
			expect(limiter.freeCalls).toBe(0);
		});
	});

	it.each<[string, AcquireOptions]>([
		['queueTimeout', { deadline: -1 }],
		['aborted', { signal: AbortSignal.abort() }],
	])('does not send a call that is over before: %s', async (expected, options) => {
		const test = new TestLimiter(1);

		const kind = await kindOf(test.call('late', options));

		expect(kind).toBe(expected);
		expect(test.names).toEqual([]);
	});

	describe('after too many requests', () => {
		it.each([
			['as long as the service asks', 12_000, 12_000],
			['an hour, if it asks for that', 3_600_000, 3_600_000],
			['five seconds when it does not say', undefined, 5_000],
		])('sends nothing for %s', async (_label, retryAfterMs, pauseMs) => {
			const test = new TestLimiter(10);
			await test.refusedCall(retryAfterMs);

			await test.call('next');

			expect(test.times.at(-1)).toBe(1_000 + pauseMs);
		});

		it('resumes up to one spaced call later, so that processes do not resume together', async () => {
			const test = new TestLimiter(10, () => 1);
			await test.refusedCall(10_000);

			await test.call('next');

			expect(test.times.at(-1)).toBe(11_000 + Math.round(WINDOW_MS / (10 * SHARE_KEPT)));
		});

		it('resumes up to half a window later if it lets only a few calls through', async () => {
			const test = new TestLimiter(2, () => 1);
			await test.refusedCall(10_000);

			await test.call('next');

			expect(test.times.at(-1)).toBe(11_000 + WINDOW_MS / 2);
		});

		it('keeps three quarters of the limit, since others use the account too', async () => {
			const test = new TestLimiter(40);

			await test.refusedCall(0);

			expect(test.callsPerWindow).toBe(30);
		});

		it('spaces its calls evenly while its share of the limit is reduced', async () => {
			const test = new TestLimiter(40);
			await test.refusedCall(0);

			await test.calls(4);

			const spacingMs = Math.round(WINDOW_MS / 30);
			const [first = 0, ...others] = test.times.slice(1);
			expect(others.map((time) => time - first)).toEqual([1, 2, 3].map((n) => n * spacingMs));
		});

		it('reduces its share once for all calls that were sent before the first 429', async () => {
			const test = new TestLimiter(40);

			await Promise.all(Array.from({ length: 10 }, async () => await test.refusedCall(0)));

			expect(test.callsPerWindow).toBe(30);
		});

		it('lets a call through every now and then after any number of 429s', async () => {
			const test = new TestLimiter(1);
			for (let refused = 0; refused < 30; refused++) await test.refusedCall(0);
			const refusedAt = test.clock.now();

			await test.call('next');

			expect(test.times.at(-1)).toBeLessThanOrEqual(refusedAt + 256 * WINDOW_MS);
		});

		it('takes the limit back after forty calls without a 429, step by step', async () => {
			const test = new TestLimiter(80);
			for (let refused = 0; refused < 2; refused++) await test.refusedCall(0);
			const perWindow: number[] = [];

			for (let window = 0; window <= 3; window++) {
				perWindow.push(test.callsPerWindow);
				await test.clock.advance(WINDOW_MS);
			}

			// Forty calls at 45 a window take 0.89 of one; then the share grows by 42 % in a window.
			expect(perWindow).toEqual([45, 47, 66, 80]);
		});

		it('begins to take it back only when the service may be asked again', async () => {
			const test = new TestLimiter(80);
			await test.refusedCall(WINDOW_MS);

			await test.clock.advance(1.5 * WINDOW_MS);

			expect(test.callsPerWindow).toBe(60);
		});

		it.each(['serverError', 'timeout', 'connectionLost', 'unauthorized'] as const)(
			'and after nothing else: %s',
			async (kind) => {
				const test = new TestLimiter(10);

				await kindOf(test.call('rejected', {}, { refusal: { kind, retryAfterMs: 60_000 } }));

				await test.call('next');
				expect(test.clock.now()).toBe(0);
				expect(test.callsPerWindow).toBe(10);
			},
		);
	});
});

describe('whatever calls come, and however long they are on their way, RateLimiter', () => {
	const limits = fc.record({
		calls: fc.integer({ min: 1, max: 12 }),
		windowMs: fc.integer({ min: 1_000, max: MINUTE_MS }),
	});
	const latency = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 }));
	const call = fc.record({
		atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 180_000 })),
		thereMs: latency,
		backMs: latency,
		execution: fc.constantFrom('1', '2', '3'),
		fails: fc.boolean(),
	});
	const calls = fc.array(call, { maxLength: 60 });

	it('never lets more arrive at the service in any window than the limit', async () => {
		await fc.assert(
			fc.asyncProperty(limits, calls, async (limit, plan) => {
				const clock = fakeClock(0);
				const limiter = new RateLimiter(limit, clock);
				const arrivals: number[] = [];

				const ends = await Promise.all(
					plan.map(async ({ atMs, thereMs, backMs, execution, fails }) => {
						await clock.sleep(atMs);
						const send = async () => {
							await clock.sleep(thereMs);
							arrivals.push(clock.now());
							await clock.sleep(backMs);
							if (fails) throw new ServiceError({ kind: 'connectionLost' });
						};
						return await kindOf(runPermitted(limiter, send, { execution }));
					}),
				);

				arrivals.sort((one, other) => one - other);
				const overfilled = arrivals.filter(
					(time, index) => time - (arrivals[index - limit.calls] ?? -Infinity) < limit.windowMs,
				);
				expect(overfilled).toEqual([]);
				expect(ends).toEqual(plan.map(({ fails }) => (fails ? 'connectionLost' : 'answered')));
			}),
			{ numRuns: 150 },
		);
	});

	it('sends every call in the end, as soon as the limit allows', async () => {
		await fc.assert(
			fc.asyncProperty(limits, fc.integer({ min: 1, max: 40 }), async (limit, count) => {
				const clock = fakeClock(0);
				const limiter = new RateLimiter(limit, clock);

				await Promise.all(
					Array.from(
						{ length: count },
						async () => await runPermitted(limiter, async () => {}, {}),
					),
				);

				const windows = Math.ceil(count / limit.calls) - 1;
				expect(clock.now()).toBeLessThanOrEqual(windows * limit.windowMs * 1.01);
			}),
			{ numRuns: 50 },
		);
	});

	it('calls a service that others also use no sooner than Retry-After, and succeeds', async () => {
		const refusals = fc.array(
			fc.record({
				// The nth call is refused.
				nth: fc.integer({ min: 0, max: 60 }),
				retryAfterMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined }),
			}),
			{ maxLength: 10 },
		);

		await fc.assert(
			fc.asyncProperty(limits, calls, refusals, async (limit, plan, refused) => {
				const clock = fakeClock(0);
				const limiter = new RateLimiter(limit, clock);
				let arrived = 0;
				let closedUntil = 0;
				const tooSoon: number[] = [];

				const ends = await Promise.all(
					plan.map(async ({ atMs, thereMs, backMs, execution }) => {
						await clock.sleep(atMs);
						const send = async () => {
							if (clock.now() < closedUntil) tooSoon.push(clock.now());
							await clock.sleep(thereMs + backMs);
							const nth = arrived++;
							const refusal = refused.find((one) => one.nth === nth);
							if (refusal === undefined) return;
							const { retryAfterMs } = refusal;
							closedUntil = Math.max(closedUntil, clock.now() + (retryAfterMs ?? 0));
							throw new ServiceError({ kind: 'rateLimited', retryAfterMs });
						};
						return await kindOf(runPermitted(limiter, send, { execution }));
					}),
				);

				expect(tooSoon).toEqual([]);
				expect(ends.every((end) => ['answered', 'rateLimited'].includes(end))).toBe(true);
			}),
			{ numRuns: 100 },
		);
	});

	it('sends a call before its deadline and its stop, or gives it up soon after', async () => {
		const impatient = fc.array(
			fc.record({
				atMs: fc.integer({ min: 0, max: 60_000 }),
				patienceMs: fc.integer({ min: 1, max: 120_000 }),
				isStopped: fc.boolean(),
				execution: fc.constantFrom('1', '2', '3'),
			}),
			{ maxLength: 40 },
		);

		await fc.assert(
			fc.asyncProperty(limits, impatient, async (limit, plan) => {
				const clock = fakeClock(0);
				const limiter = new RateLimiter(limit, clock);
				const late: string[] = [];

				await Promise.all(
					plan.map(async ({ atMs, patienceMs, isStopped, execution }) => {
						await clock.sleep(atMs);
						const end = clock.now() + patienceMs;
						const stop = new AbortController();
						if (isStopped) void clock.sleep(patienceMs).then(() => stop.abort());
						const options = isStopped ? { signal: stop.signal } : { deadline: end };
						const send = async () => {
							if (clock.now() > end) late.push('sent');
						};

						const kind = await kindOf(runPermitted(limiter, send, { execution, ...options }));

						if (kind === 'answered') return;
						if (kind !== (isStopped ? 'aborted' : 'queueTimeout')) late.push(kind);
						if (clock.now() > end + 500) late.push(`gave up ${clock.now() - end} ms late`);
					}),
				);

				expect(late).toEqual([]);
			}),
			{ numRuns: 100 },
		);
	});
});

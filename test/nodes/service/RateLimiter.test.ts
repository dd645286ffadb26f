import fc from 'fast-check';

import {
	RateLimiter,
	type RateLimiterOptions,
	type Turn,
} from '../../../nodes/service/RateLimiter';
import { ServiceError, type FailureFacts } from '../../../nodes/errors/ServiceError';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

const MINUTE_MS = 60_000;
// Allows for clock drift.
const WINDOW_MS = MINUTE_MS * 1.002;
const SHARE_KEPT = 0.75;

/** A limiter of `calls` a minute, and a service that records when calls reach it. */
class TestLimiter {
	readonly clock = new SimulatedClock(0);

	/** The names of the calls in the order of their arrival. */
	readonly names: string[] = [];

	/** When they have arrived. */
	readonly times: number[] = [];

	readonly limiter: RateLimiter;

	constructor(calls: number, options: RateLimiterOptions = {}) {
		const limit = { calls, windowMs: MINUTE_MS };
		this.limiter = new RateLimiter(limit, this.clock, { random: () => 0, ...options });
	}

	/** Makes a call that takes `takesMs`, and fails with `refusal` if that is given. */
	async call(
		name = 'call',
		options: Partial<Turn> = {},
		{ takesMs = 0, refusal }: { takesMs?: number; refusal?: FailureFacts } = {},
	): Promise<string> {
		return await this.limiter.run({ group: '1', ...options }, async () => {
			this.names.push(name);
			this.times.push(this.clock.now());
			await this.clock.sleep(takesMs);
			if (refusal !== undefined) throw new ServiceError(refusal);
			return name;
		});
	}

	/** Makes `count` calls at once. */
	async calls(count: number, ...rest: Parameters<TestLimiter['call']>): Promise<void> {
		await Promise.all(Array.from({ length: count }, async () => await this.call(...rest)));
	}

	/** Makes a call that gets a 429 a second later. */
	async refusedCall(retryAfterMs?: number): Promise<void> {
		const refusal: FailureFacts = { kind: 'rateLimited', retryAfterMs };
		await kindOf(this.call('rejected', {}, { takesMs: 1_000, refusal }));
	}

	get callsPerWindow(): number {
		return Math.round(WINDOW_MS / this.limiter.spacingMs);
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
	it('lets groups take turns', async () => {
		const test = new TestLimiter(1);
		const callOf = async (group: string, name: string) => await test.call(name, { group });

		await Promise.all([callOf('a', 'a1'), callOf('a', 'a2'), callOf('a', 'a3'), callOf('b', 'b1')]);

		expect(test.names).toEqual(['a1', 'b1', 'a2', 'a3']);
	});

	it('lets the call that is due longest go first, also of those that are made together', async () => {
		const test = new TestLimiter(1);

		await Promise.all([3, 1, 2].map(async (dueAt) => await test.call(`${dueAt}`, { dueAt })));

		expect(test.names).toEqual(['1', '2', '3']);
	});

	it('leaves no timer behind when its last call is given up', async () => {
		const test = new TestLimiter(10);
		await test.refusedCall(0);
		await test.call('sent');
		const giveUpAt = test.clock.now() + 1_000;

		const kind = await kindOf(test.call('late', { giveUpAt }));

		expect(kind).toBe('queueTimeout');
		await Promise.resolve();
		expect(test.clock.sleepers).toBe(0);
	});

	it.each<[string, boolean]>([
		['fails before it is sent', true],
		['could not reach the service', false],
	])('does not count a call that %s', async (_what, isBefore) => {
		const test = new TestLimiter(1);
		const fail = async () => {
			// By then, the limiter sleeps until the window has room for the next call.
			await test.clock.sleep(1);
			throw new ServiceError({ kind: isBefore ? 'rateLimited' : 'unreachable' });
		};
		const beforeSending = isBefore ? fail : undefined;

		const failed = kindOf(test.limiter.run({ group: '1', beforeSending }, fail));
		await test.call('next');

		expect(await failed).not.toBe('answered');
		expect(test.times).toEqual([1]);
	});

	it.each<[string, Partial<Turn>]>([
		['queueTimeout', { giveUpAt: -1 }],
		['aborted', { signal: AbortSignal.abort() }],
	])('does not send a call that is over before: %s', async (expected, options) => {
		const test = new TestLimiter(1);

		const kind = await kindOf(test.call('late', options));

		expect(kind).toBe(expected);
		expect(test.names).toEqual([]);
	});
});

describe('RateLimiter: spaced calls', () => {
	const SPACING_MS = WINDOW_MS / 60;
	const SPACED = { group: 'waits', isSpaced: true };

	it('go at once until ten calls of the window are used, and evenly from then on', async () => {
		const test = new TestLimiter(60);

		await test.calls(13, 'spaced', SPACED);

		const expected = [0, ...[0, 1, 2, 3].map((n) => Math.ceil(n * SPACING_MS))];
		expect(test.times.slice(8)).toEqual(expected);
	});

	it('do not hold up other calls of the same name', async () => {
		const test = new TestLimiter(60);
		const spaced = test.calls(20, 'spaced', SPACED);
		await test.clock.sleep(1);

		await test.calls(20, 'plain', { ...SPACED, isSpaced: false });

		expect(test.clock.now()).toBe(1);
		await spaced;
	});

	it('take turns with the calls of others while both wait', async () => {
		const test = new TestLimiter(60);
		await test.calls(60, 'before');

		await Promise.all([test.calls(60, 'spaced', SPACED), test.calls(60, 'other')]);

		const inNextWindow = test.names.slice(60, 120);
		expect(inNextWindow.filter((name) => name === 'spaced')).toHaveLength(30);
	});
});

describe('RateLimiter after a 429', () => {
	it('sends nothing for five seconds when the service does not say how long', async () => {
		const test = new TestLimiter(10);
		await test.refusedCall();

		await test.call('next');

		expect(test.times.at(-1)).toBe(1_000 + 5_000);
	});

	it('sends the next call in time although the clock of the machine is set back by a day', async () => {
		const test = new TestLimiter(10);
		await test.refusedCall(12_000);
		test.clock.setForwardMs = -24 * 3_600_000;

		await test.call('next');

		expect(test.clock.elapsed()).toBe(13_000);
	});

	it('resumes up to one spaced call later, so that processes do not resume together', async () => {
		const test = new TestLimiter(10, { random: () => 1 });
		await test.refusedCall(10_000);

		await test.call('next');

		expect(test.times.at(-1)).toBe(11_000 + Math.round(WINDOW_MS / (10 * SHARE_KEPT)));
	});

	it('resumes up to half a window later if it lets only a few calls through', async () => {
		const test = new TestLimiter(2, { random: () => 1 });
		await test.refusedCall(10_000);

		await test.call('next');

		expect(test.times.at(-1)).toBe(11_000 + WINDOW_MS / 2);
	});

	it('spaces its calls evenly while its share of the limit is reduced', async () => {
		const test = new TestLimiter(40);
		await test.refusedCall(0);

		await test.calls(4);

		const spacingMs = Math.round(WINDOW_MS / 30);
		const [first = 0, ...others] = test.times.slice(1);
		expect(others.map((time) => time - first)).toEqual([1, 2, 3].map((n) => n * spacingMs));
	});

	it('keeps three quarters of the limit after any number of calls sent before the first 429', async () => {
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

	it('begins to take the limit back only when the service may be asked again', async () => {
		const test = new TestLimiter(80);
		await test.refusedCall(WINDOW_MS);

		await test.clock.advance(1.5 * WINDOW_MS);

		expect(test.callsPerWindow).toBe(60);
	});

	it('keeps its pace after any other error', async () => {
		const test = new TestLimiter(10);
		const refusal: FailureFacts = { kind: 'serverError', retryAfterMs: 60_000 };

		await kindOf(test.call('rejected', {}, { refusal }));

		await test.call('next');
		expect(test.clock.now()).toBe(0);
		expect(test.callsPerWindow).toBe(10);
	});
});

describe('RateLimiter, closed by a 429, for calls that ignore Retry-After', () => {
	const URGENT = { ignoresRetryAfter: true };

	it('sends them before any other, as soon as the window has room', async () => {
		const test = new TestLimiter(2);
		await test.refusedCall(10 * MINUTE_MS);
		const other = test.call('other', { dueAt: -Infinity });

		await test.calls(2, 'urgent', URGENT);

		// The refused call leaves the window a second later than it was sent.
		expect(test.names).toEqual(['rejected', 'urgent', 'urgent']);
		expect(test.times.slice(1)).toEqual([1_000, 1_000 + WINDOW_MS]);
		await other;
		expect(test.times.at(-1)).toBe(1_000 + 10 * MINUTE_MS);
	});
});

describe('RateLimiter that closes after a 429 without Retry-After', () => {
	const OPTIONS = { closedMsWithoutRetryAfter: 20_000, random: () => 1 };

	it('sends nothing for that long, and then all calls at once with its whole share', async () => {
		const test = new TestLimiter(10, OPTIONS);
		await test.refusedCall();

		await test.calls(5);

		expect(test.times.slice(1)).toEqual(Array(5).fill(21_000));
		expect(test.callsPerWindow).toBe(10);
	});

	it('reduces its share after one with a Retry-After', async () => {
		const test = new TestLimiter(40, OPTIONS);

		await test.refusedCall(0);

		expect(test.callsPerWindow).toBe(30);
	});
});

describe('RateLimiter, whatever calls come, and however long they are on their way,', () => {
	const limits = fc.record({
		calls: fc.integer({ min: 1, max: 12 }),
		windowMs: fc.integer({ min: 1_000, max: MINUTE_MS }),
	});
	const latency = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 }));
	const call = fc.record({
		atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 180_000 })),
		thereMs: latency,
		backMs: latency,
		group: fc.constantFrom('1', '2', '3'),
		isSpaced: fc.boolean(),
		fails: fc.boolean(),
	});
	const calls = fc.array(call, { maxLength: 60 });

	it('never lets more arrive at the service in any window than the limit', async () => {
		await fc.assert(
			fc.asyncProperty(limits, calls, async (limit, plan) => {
				const clock = new SimulatedClock(0);
				const limiter = new RateLimiter(limit, clock);
				const arrivals: number[] = [];

				const ends = await Promise.all(
					plan.map(async ({ atMs, thereMs, backMs, group, isSpaced, fails }) => {
						await clock.sleep(atMs);
						const send = async () => {
							await clock.sleep(thereMs);
							arrivals.push(clock.now());
							await clock.sleep(backMs);
							if (fails) throw new ServiceError({ kind: 'connectionLost' });
						};
						return await kindOf(limiter.run({ group, isSpaced }, send));
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
				const clock = new SimulatedClock(0);
				const limiter = new RateLimiter(limit, clock);

				await Promise.all(
					Array.from(
						{ length: count },
						async () => await limiter.run({ group: '1' }, async () => {}),
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
				const clock = new SimulatedClock(0);
				const limiter = new RateLimiter(limit, clock);
				let arrived = 0;
				let closedUntil = 0;
				const tooSoon: number[] = [];

				const ends = await Promise.all(
					plan.map(async ({ atMs, thereMs, backMs, group, isSpaced }) => {
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
						return await kindOf(limiter.run({ group, isSpaced }, send));
					}),
				);

				expect(tooSoon).toEqual([]);
				expect(ends.every((end) => ['answered', 'rateLimited'].includes(end))).toBe(true);
			}),
			{ numRuns: 100 },
		);
	});

	it('sends a call before its time is up and before its stop, or gives it up soon after', async () => {
		const impatient = fc.array(
			fc.record({
				atMs: fc.integer({ min: 0, max: 60_000 }),
				patienceMs: fc.integer({ min: 1, max: 120_000 }),
				isStopped: fc.boolean(),
				group: fc.constantFrom('1', '2', '3'),
			}),
			{ maxLength: 40 },
		);

		await fc.assert(
			fc.asyncProperty(limits, impatient, async (limit, plan) => {
				const clock = new SimulatedClock(0);
				const limiter = new RateLimiter(limit, clock);
				const late: string[] = [];

				await Promise.all(
					plan.map(async ({ atMs, patienceMs, isStopped, group }) => {
						await clock.sleep(atMs);
						const end = clock.now() + patienceMs;
						const stop = new AbortController();
						if (isStopped) void clock.sleep(patienceMs).then(() => stop.abort());
						const options = isStopped ? { signal: stop.signal } : { giveUpAt: end };
						const send = async () => {
							if (clock.now() > end) late.push('sent');
						};

						const kind = await kindOf(limiter.run({ group, ...options }, send));

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

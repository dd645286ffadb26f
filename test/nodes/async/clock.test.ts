import { createClock } from '../../../nodes/async/clock';

const DAY_MS = 24 * 3_600_000;

describe('Clock', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => {
		jest.restoreAllMocks();
		jest.useRealTimers();
	});

	/** Whether a sleep has ended; read it after time has passed. */
	const startSleep = (ms: number, signal?: AbortSignal) => {
		const sleep = { hasEnded: false };
		void createClock()
			.sleep(ms, signal)
			.then(() => (sleep.hasEnded = true));
		return sleep;
	};

	it("now is the machine's time after that was set, too", () => {
		const clock = createClock();

		jest.setSystemTime(0);

		expect(clock.now()).toBe(0);
	});

	it("elapsed is not moved when the machine's time is set", () => {
		const clock = createClock();
		const before = clock.elapsed();

		jest.setSystemTime(0);

		expect(clock.elapsed()).toBe(before);
	});

	it.each([
		['without a signal', undefined],
		['with a signal', new AbortController().signal],
	])('sleep ends when its time is over, %s', async (_label, signal) => {
		const sleep = startSleep(1_000, signal);

		await jest.advanceTimersByTimeAsync(999);
		const before = sleep.hasEnded;
		await jest.advanceTimersByTimeAsync(1);

		expect([before, sleep.hasEnded]).toEqual([false, true]);
	});

	it('sleep continues after a timer that fired too early', async () => {
		jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(999.5);
		const sleep = startSleep(1_000);

		await jest.advanceTimersByTimeAsync(1_000);
		const afterFirstTimer = sleep.hasEnded;
		await jest.advanceTimersByTimeAsync(1);

		expect([afterFirstTimer, sleep.hasEnded]).toEqual([false, true]);
	});

	it.each([
		['for 0 ms', 0, undefined],
		['for a negative time', -5, undefined],
		['with an aborted signal', 60_000, AbortSignal.abort()],
	])('sleep sets no timer %s', async (_label, ms, signal) => {
		await createClock().sleep(ms, signal);

		expect(jest.getTimerCount()).toBe(0);
	});

	it('sleep ends on abort, and clears its timer', async () => {
		const stop = new AbortController();
		const sleep = startSleep(60_000, stop.signal);

		stop.abort();
		await jest.advanceTimersByTimeAsync(0);

		expect(sleep.hasEnded).toBe(true);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('sleep can be longer than a timer, which Node.js limits to 24 days', async () => {
		const setTimer = jest.spyOn(globalThis, 'setTimeout');
		const sleep = startSleep(100 * DAY_MS);

		await jest.advanceTimersByTimeAsync(100 * DAY_MS - 1);
		const before = sleep.hasEnded;
		await jest.advanceTimersByTimeAsync(1);

		expect([before, sleep.hasEnded]).toEqual([false, true]);
		expect(Math.max(...setTimer.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31);
	});

	it.each([
		['a fraction is rounded up', 0.4, 1],
		['a negative time is 0', -5, 0],
		['more than a timer allows is 24 days', 100 * DAY_MS, 24 * DAY_MS],
	])('timeout takes any time: %s', (_label, ms, timerMs) => {
		const { signal } = new AbortController();
		const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);

		expect(createClock().timeout(ms)).toBe(signal);
		expect(timeout).toHaveBeenCalledWith(timerMs);
	});
});

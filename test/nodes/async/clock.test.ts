import { createClock } from '../../../nodes/async/clock';
import { currentClock, setClock } from '../../support/testRuntime';

/** Real time a piece of work takes, in ms. */
async function realMsOf(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

describe('the clock', () => {
	afterEach(() => setClock());

	it('tells the time of the machine', () => {
		const clock = createClock();

		expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
	});

	it('does not move when the time of the machine is corrected', () => {
		const clock = createClock();
		const before = clock.now();
		const correction = jest.spyOn(Date, 'now').mockReturnValue(0);

		const after = clock.now();

		correction.mockRestore();
		expect(after).toBeGreaterThanOrEqual(before);
		expect(after - before).toBeLessThan(1_000);
	});

	it('sleeps no shorter than it was told', async () => {
		const clock = createClock(60);
		const began = clock.now();

		await clock.sleep(1_000);

		expect(clock.now() - began).toBeGreaterThanOrEqual(1_000);
	});

	it('lives as many times faster as its scale says', async () => {
		const clock = createClock(60);

		const realMs = await realMsOf(async () => await clock.sleep(6_000));

		expect(realMs).toBeGreaterThanOrEqual(99);
		expect(realMs).toBeLessThan(3_000);
	});

	it('sleeps on while the time that it is given stands still', async () => {
		let passedMs = 0;
		const clock = createClock(60, () => (passedMs += 0.5));
		const began = clock.now();

		await clock.sleep(600);

		expect(clock.now() - began).toBeGreaterThanOrEqual(600);
		expect(passedMs).toBeGreaterThanOrEqual(10);
	});

	it.each([
		['no time', 0],
		['a time that has passed', -5],
	])('does not sleep for %s', async (_label, ms) => {
		const realMs = await realMsOf(async () => await createClock().sleep(ms));

		expect(realMs).toBeLessThan(400);
	});

	it('does not begin to sleep when it has been stopped before', async () => {
		const realMs = await realMsOf(
			async () => await createClock().sleep(60_000, AbortSignal.abort()),
		);

		expect(realMs).toBeLessThan(400);
	});

	it('wakes within a second after a stop, without an error', async () => {
		const stop = new AbortController();

		const realMs = await realMsOf(async () => {
			const sleeping = createClock().sleep(60_000, stop.signal);
			stop.abort();
			await sleeping;
		});

		expect(realMs).toBeLessThan(1_000);
	});

	it('wakes at the first of several signals', async () => {
		const [first, second] = [new AbortController(), new AbortController()];

		const realMs = await realMsOf(async () => {
			const sleeping = createClock().sleep(60_000, first.signal, undefined, second.signal);
			second.abort();
			await sleeping;
		});

		expect(realMs).toBeLessThan(1_000);
	});

	it('leaves nothing behind on a signal that many sleeps were given', async () => {
		const stop = new AbortController();
		const added = jest.spyOn(stop.signal, 'addEventListener');
		const removed = jest.spyOn(stop.signal, 'removeEventListener');

		for (let sleep = 0; sleep < 5; sleep++) await createClock(60).sleep(60, stop.signal);

		expect(added).toHaveBeenCalled();
		expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
	});

	it('can sleep for longer than a timer can be set', async () => {
		const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
		const stop = new AbortController();

		const sleeping = createClock().sleep(100 * 24 * 3_600_000, stop.signal);
		await createClock().sleep(20);
		stop.abort();
		await sleeping;

		expect(warn).not.toHaveBeenCalled();
		warn.mockRestore();
	});

	it('can be replaced for the whole process, and put back', () => {
		const other = createClock(60);

		setClock(other);
		const replaced = currentClock();
		setClock();

		expect(replaced).toBe(other);
		expect(currentClock()).not.toBe(other);
	});
});

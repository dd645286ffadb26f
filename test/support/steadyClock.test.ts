import { steadyClock, steadyTime } from './steadyClock';

/** Holds the event loop, as a machine does that lets the process wait. */
function block(realMs: number): void {
	const end = performance.now() + realMs;
	while (performance.now() < end);
}

describe('steady time', () => {
	it('advances while nobody reads it', async () => {
		const before = steadyTime();

		for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 10));

		expect(steadyTime() - before).toBeGreaterThan(50);
	});

	it('stands still while the process does not run', () => {
		const before = steadyTime();

		block(200);

		expect(steadyTime() - before).toBeLessThanOrEqual(10);
	});

	it('does not let a time limit end in such a pause', async () => {
		const limit = steadyClock(60).timeout(6_000);

		block(200);
		await new Promise(setImmediate);

		expect(limit.aborted).toBe(false);
	});

	it('lets a time limit end when its time is over', async () => {
		const limit = steadyClock(60).timeout(600);

		await new Promise((resolve) => limit.addEventListener('abort', resolve));

		expect(limit.reason).toMatchObject({ name: 'TimeoutError' });
	});
});

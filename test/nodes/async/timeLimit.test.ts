import { withTimeLimit } from '../../../nodes/async/timeLimit';
import { fakeClock } from '../../support/fakeClock';

describe('a time limit', () => {
	it('leaves work that ends in time alone', async () => {
		const clock = fakeClock();

		const wasStopped = await withTimeLimit(clock, 5_000, async (signal) => {
			await clock.sleep(4_999);
			return signal.aborted;
		});

		expect(wasStopped).toBe(false);
	});

	it('stops work that takes longer', async () => {
		const clock = fakeClock(0);

		const stoppedAt = await withTimeLimit(clock, 5_000, async (signal) => {
			await clock.sleep(60_000, signal);
			return clock.now();
		});

		expect(stoppedAt).toBe(5_000);
	});

	it('passes on what the work threw', async () => {
		const work = withTimeLimit(fakeClock(), 5_000, async () => {
			throw new Error('out of order');
		});

		await expect(work).rejects.toThrow('out of order');
	});
});

import { retry, type RetryPolicy } from '../../../nodes/async/retry';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

const POLICY: RetryPolicy = (_error, failures) => (failures < 3 ? 1_000 : undefined);

// Its tries and delays are tested with the policies.
describe('retry', () => {
	it('makes no more tries once its signal is aborted', async () => {
		const task = jest.fn().mockRejectedValue(new Error('failed'));
		const options = { clock: new SimulatedClock(), policy: POLICY, signal: AbortSignal.abort() };

		await expect(retry(task, options)).rejects.toThrow('failed');
		expect(task).toHaveBeenCalledTimes(1);
	});

	it('ends its pause when its signal is aborted', async () => {
		const clock = new SimulatedClock(0);
		const stop = new AbortController();
		const task = async () => {
			void clock.sleep(300).then(() => stop.abort());
			return await Promise.reject(new Error('failed'));
		};

		const retrying = retry(task, { clock, policy: POLICY, signal: stop.signal });

		await expect(retrying).rejects.toThrow('failed');
		expect(clock.now()).toBe(300);
	});
});

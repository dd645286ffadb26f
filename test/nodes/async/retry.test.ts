import { retry, type RetryPolicy } from '../../../nodes/async/retry';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

const POLICY: RetryPolicy = (_error, failures) => (failures < 3 ? failures * 1_000 : undefined);

describe('retry', () => {
	it('returns the first success after the pauses of its policy', async () => {
		const clock = new SimulatedClock(0);
		const attempt = jest.fn().mockRejectedValueOnce(new Error('1')).mockResolvedValue('done');

		await expect(retry(attempt, { clock, policy: POLICY })).resolves.toBe('done');
		expect(clock.now()).toBe(1_000);
	});

	it('throws the error after which its policy gives up', async () => {
		let attempts = 0;
		const attempt = async () => await Promise.reject(new Error(`attempt ${++attempts}`));

		const retrying = retry(attempt, { clock: new SimulatedClock(), policy: POLICY });

		await expect(retrying).rejects.toThrow('attempt 3');
	});

	it('makes no further attempt once its signal is aborted', async () => {
		const attempt = jest.fn().mockRejectedValue(new Error('failed'));
		const options = { clock: new SimulatedClock(), policy: POLICY, signal: AbortSignal.abort() };

		await expect(retry(attempt, options)).rejects.toThrow('failed');
		expect(attempt).toHaveBeenCalledTimes(1);
	});

	it('ends its pause when its signal is aborted', async () => {
		const clock = new SimulatedClock(0);
		const stop = new AbortController();
		const attempt = async () => {
			void clock.sleep(300).then(() => stop.abort());
			return await Promise.reject(new Error('failed'));
		};

		const retrying = retry(attempt, { clock, policy: POLICY, signal: stop.signal });

		await expect(retrying).rejects.toThrow('failed');
		expect(clock.now()).toBe(300);
	});
});

import { retry, type RetryPolicy } from '../../../nodes/async/retry';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

const POLICY: RetryPolicy = (_error, failures) => (failures < 3 ? failures * 1_000 : undefined);

describe('retry', () => {
	it('returns the first success after the pauses of its policy', async () => {
		const clock = new SimulatedClock(0);
		const task = jest.fn().mockRejectedValueOnce(new Error('1')).mockResolvedValue('done');

		await expect(retry(task, { clock, policy: POLICY })).resolves.toBe('done');
		expect(clock.now()).toBe(1_000);
	});

	it('throws the error after which its policy gives up', async () => {
		let tries = 0;
		const task = async () => await Promise.reject(new Error(`try ${++tries}`));

		const retrying = retry(task, { clock: new SimulatedClock(), policy: POLICY });

		await expect(retrying).rejects.toThrow('try 3');
	});

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

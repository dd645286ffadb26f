import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

describe('limitConcurrency', () => {
	it('starts no more after a rejection, and lets running tasks end', async () => {
		const clock = new SimulatedClock();
		const ended: number[] = [];

		const all = limitConcurrency([0, 1, 2, 3, 4, 5], 2, async (index) => {
			await clock.sleep(index === 1 ? 100 : 500);
			if (index === 1) throw new Error('the second one');
			ended.push(index);
		});

		await expect(all).rejects.toThrow('the second one');
		expect(ended).toEqual([0]);
	});

	it('rejects with the first of several rejections', async () => {
		const clock = new SimulatedClock();

		const all = limitConcurrency([0, 1], 2, async (index) => {
			await clock.sleep(index === 0 ? 500 : 100);
			throw new Error(`item ${index}`);
		});

		await expect(all).rejects.toThrow('item 1');
	});

	it('rejects after a task that rejects with undefined', async () => {
		const task = async () => await Promise.reject<never>(undefined);

		await expect(limitConcurrency([1, 2, 3], 2, task)).rejects.toBeUndefined();
	});
});

import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { fakeClock } from '../../support/fakeClock';

describe('limitConcurrency', () => {
	it('does nothing for no items', async () => {
		const work = jest.fn();

		await limitConcurrency(0, 3, work);

		expect(work).not.toHaveBeenCalled();
	});

	it.each([
		['one', 1, 1],
		['as many as the limit', 3, 3],
		['all, when there are fewer than the limit,', 10, 5],
	])('has %s under way at once', async (_label, limit, most) => {
		const clock = fakeClock();
		let underWay = 0;
		let mostUnderWay = 0;

		await limitConcurrency(5, limit, async () => {
			mostUnderWay = Math.max(mostUnderWay, ++underWay);
			await clock.sleep(100);
			underWay--;
		});

		expect(mostUnderWay).toBe(most);
	});

	it('begins in order, whichever ends first', async () => {
		const clock = fakeClock();
		const begun: number[] = [];
		const ended: number[] = [];

		await limitConcurrency(4, 2, async (index) => {
			begun.push(index);
			await clock.sleep(index === 0 ? 1000 : 100);
			ended.push(index);
		});

		expect(begun).toEqual([0, 1, 2, 3]);
		expect(ended).toEqual([1, 2, 3, 0]);
	});

	it('begins no more after one went wrong, and lets those under way end', async () => {
		const clock = fakeClock();
		const ended: number[] = [];

		const all = limitConcurrency(6, 2, async (index) => {
			await clock.sleep(index === 1 ? 100 : 500);
			if (index === 1) throw new Error('the second one');
			ended.push(index);
		});

		await expect(all).rejects.toThrow('the second one');
		expect(ended).toEqual([0]);
	});

	it('rejects with the first of several faults', async () => {
		const clock = fakeClock();

		const all = limitConcurrency(2, 2, async (index) => {
			await clock.sleep(index === 0 ? 500 : 100);
			throw new Error(`item ${index}`);
		});

		await expect(all).rejects.toThrow('item 1');
	});

	it('rejects with what was thrown, even if it is undefined', async () => {
		const all = limitConcurrency(1, 1, async () => {
			throw undefined;
		});

		await expect(all).rejects.toBeUndefined();
	});

	it('takes a fault that is thrown before any waiting like any other', async () => {
		const all = limitConcurrency(3, 2, (index) => {
			throw new Error(`item ${index}`);
		});

		await expect(all).rejects.toThrow('item 0');
	});
});

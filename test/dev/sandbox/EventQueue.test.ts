import fc from 'fast-check';

import { EventQueue } from '../../../dev/sandbox/state/EventQueue';

describe('EventQueue', () => {
	it('runs due events in order of time, and in order of scheduling at the same time', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(30)), (times) => {
				const queue = new EventQueue();
				const run: Array<[number, number]> = [];
				times.forEach((time, order) => queue.schedule(time, (at) => run.push([at, order])));

				queue.runUntil(10);
				queue.runUntil(20);

				const expected = times
					.map((time, order): [number, number] => [time, order])
					.filter(([time]) => time <= 20)
					.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
				expect(run).toEqual(expected);
			}),
		);
	});

	it('runs an event that another event scheduled if it is due too', () => {
		const queue = new EventQueue();
		const run: number[] = [];
		queue.schedule(1, (at) => {
			run.push(at);
			queue.schedule(at + 1, (next) => run.push(next));
		});
		queue.schedule(5, (at) => run.push(at));

		queue.runUntil(5);

		expect(run).toEqual([1, 2, 5]);
	});

	it('does not run a cancelled event', () => {
		const queue = new EventQueue();
		const run = jest.fn();
		queue.schedule(1, run).cancel();

		queue.runUntil(5);

		expect(run).not.toHaveBeenCalled();
	});
});

import fc from 'fast-check';

import { Agenda } from '../../../dev/sandbox/Agenda';

describe('the agenda', () => {
	it('lets things happen in order of time, and in order of entry at the same time', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(20)), (times) => {
				const agenda = new Agenda();
				const happened: Array<[number, number]> = [];
				times.forEach((time, order) => {
					agenda.schedule(time, (at) => happened.push([at, order]));
				});

				agenda.runUntil(10);
				agenda.runUntil(20);

				const inOrder = times.map((time, order): [number, number] => [time, order]);
				inOrder.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
				expect(happened).toEqual(inOrder);
			}),
		);
	});

	it('leaves for later what is not due yet', () => {
		const agenda = new Agenda();
		const happened: number[] = [];
		for (const time of [30, 10, 20]) agenda.schedule(time, (at) => happened.push(at));

		agenda.runUntil(20);

		expect(happened).toEqual([10, 20]);
	});

	it('does in the same go what becomes due meanwhile', () => {
		const agenda = new Agenda();
		const happened: number[] = [];
		agenda.schedule(1, (at) => {
			happened.push(at);
			agenda.schedule(at + 1, (next) => happened.push(next));
		});
		agenda.schedule(5, (at) => happened.push(at));

		agenda.runUntil(5);

		expect(happened).toEqual([1, 2, 5]);
	});

	it('forgets what is cancelled', () => {
		const agenda = new Agenda();
		const run = jest.fn();
		agenda.schedule(1, run).cancel();

		agenda.runUntil(5);

		expect(run).not.toHaveBeenCalled();
	});
});

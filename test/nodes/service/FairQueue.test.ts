import { FairQueue } from '../../../nodes/service/FairQueue';

/** A queue with these entries; the first letter of each is its group. */
function queueOf(...entries: string[]): FairQueue<string> {
	const queue = new FairQueue<string>();
	for (const entry of entries) queue.add(entry, entry.charAt(0));
	return queue;
}

function drain(queue: FairQueue<string>): string[] {
	const entries: string[] = [];
	for (let entry = queue.next(); entry !== undefined; entry = queue.next()) entries.push(entry);
	return entries;
}

describe('FairQueue', () => {
	it.each([
		['first in, first out within a group', ['a1', 'a2', 'a3'], ['a1', 'a2', 'a3']],
		['round robin among groups', ['a1', 'a2', 'a3', 'b1', 'c1'], ['a1', 'b1', 'c1', 'a2', 'a3']],
		['nothing', [], []],
	])('gives %s', (_label, added, taken) => {
		expect(drain(queueOf(...added))).toEqual(taken);
	});

	it('puts a group that comes again behind the others', () => {
		const queue = queueOf('a1', 'b1', 'b2');
		const first = queue.next();

		queue.add('a2', 'a');

		expect([first, ...drain(queue)]).toEqual(['a1', 'b1', 'a2', 'b2']);
	});

	it('removes entries without changing the order of the others', () => {
		const queue = queueOf('a1', 'a2', 'b1', 'c1', 'c2');

		queue.removeIf((entry) => ['a1', 'b1', 'c2'].includes(entry));

		expect(queue.size).toBe(2);
		expect(drain(queue)).toEqual(['a2', 'c1']);
	});

	it('counts its entries', () => {
		const queue = queueOf('a1', 'a2', 'b1');
		const sizes = [queue.size];

		for (let taken = 0; taken < 4; taken++) {
			queue.next();
			sizes.push(queue.size);
		}

		expect(sizes).toEqual([3, 2, 1, 0, 0]);
	});
});

import { alternate } from '../../../dev/bench/alternate';

it('measures the ways in turn, and each round begins with another one', async () => {
	const order: string[] = [];

	const results = await alternate(['a', 'b', 'c'], 2, async (way, run) => {
		order.push(way);
		return `${way}${run}`;
	});

	expect(order.join('')).toBe('abcbca');
	expect(results).toEqual({ a: ['a0', 'a1'], b: ['b0', 'b1'], c: ['c0', 'c1'] });
});

import { fairness, figure, mean, median, medianWithRange } from '../../../dev/bench/figures';
import { shortestSeconds } from '../../../dev/bench/optimum';

it.each([
	['an odd number of values', [3, 1, 10], 3],
	['an even number of values', [4, 1, 2, 10], 3],
	['one value', [7], 7],
	['no value', [], NaN],
])('median of %s', (_, values, expected) => {
	expect(median(values)).toBe(expected);
});

it('mean is the sum over the number of values', () => {
	expect(mean([1, 2, 6])).toBe(3);
});

it.each([
	['the same for all', [2, 2, 2, 2], 1],
	['everything for one of four', [8, 0, 0, 0], 0.25],
	['two for one, one for the other', [2, 1], 0.9],
])("Jain's index with %s", (_, values, expected) => {
	expect(fairness(values)).toBeCloseTo(expected);
});

it.each([
	[0, '0'],
	[0.0123, '0.012'],
	[0.8765, '0.877'],
	[1.2345, '1.23'],
	[12.345, '12.3'],
	[123.45, '123'],
	[-4.567, '-4.57'],
	[12_345.6, '12,346'],
])('the figure %d is shown as %s', (value, text) => {
	expect(figure(value)).toBe(text);
});

it.each([
	[[], 'not measured'],
	[[3.14159], '3.14'],
	[[3, 1, 2], '2 (1–3)'],
])('median with range of %j is %s', (values, text) => {
	expect(medianWithRange(values)).toBe(text);
});

describe('the shortest time for a batch', () => {
	const bounds = { startsPerWindow: 10, windowSeconds: 60, maxParallel: 10 };

	it.each([
		['one job', [30], 30],
		['ten jobs at once', Array<number>(10).fill(30), 30],
		['an eleventh job, which needs the next window', Array<number>(11).fill(30), 90],
		[
			'jobs that are longer than the window, which need a free place',
			Array<number>(11).fill(90),
			180,
		],
		['a long job that was started first', [500, ...Array<number>(10).fill(1)], 500],
	])('%s', (_, durations, expected) => {
		expect(shortestSeconds(durations, bounds)).toBe(expected);
	});
});

import { ownIntervalMs } from '../../../nodes/jobs/pollInterval';

const MINUTE = 60_000;

describe('ownIntervalMs', () => {
	it.each([
		['a second at first', 0, 1_000],
		['a second up to 17 s', 17_000, 1_000],
		['a seventeenth of the age from then on', 34_000, 2_000],
		['5.5 s from 93.5 s on', 93_500, 5_500],
		['5.5 s for a quarter of an hour', 13 * MINUTE, 5_500],
		['a 150th of the age of long jobs', 50 * MINUTE, 20_000],
		['30 s at most', 4 * 60 * MINUTE, 30_000],
	])('is %s', (_label, ageMs, expected) => {
		expect(ownIntervalMs(ageMs)).toBe(expected);
	});
});

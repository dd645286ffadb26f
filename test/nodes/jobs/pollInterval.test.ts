import { learnedIntervalMs, plainIntervalMs, windowMs } from '../../../nodes/jobs/pollInterval';

const MINUTE = 60_000;
const NOTHING_KNOWN = { surviving: 0, ending: 0 };

describe('plainIntervalMs', () => {
	it.each([
		['a second at first', 0, 1_000],
		['a second up to 17 s', 17_000, 1_000],
		['a seventeenth of the age from then on', 34_000, 2_000],
		['5.5 s from 93.5 s on', 93_500, 5_500],
		['5.5 s for a quarter of an hour', 13 * MINUTE, 5_500],
		['a 150th of the age of long jobs', 50 * MINUTE, 20_000],
		['30 s at most', 4 * 60 * MINUTE, 30_000],
	])('is %s', (_label, ageMs, expected) => {
		expect(plainIntervalMs(ageMs)).toBe(expected);
	});
});

describe('windowMs', () => {
	it.each([
		['two seconds at first', 0, 2_000],
		['two seconds up to 20 s', 20_000, 2_000],
		['a tenth of the age from then on', 60_000, 6_000],
	])('is %s', (_label, ageMs, expected) => {
		expect(windowMs(ageMs)).toBe(expected);
	});
});

describe('learnedIntervalMs', () => {
	// Any shorter one would count as a likely end, however small the difference.
	it('is the plain interval, to the last digit, at any age if nothing is known', () => {
		const ages = Array.from({ length: 10_000 }, (_, index) => index * 1_234.5);

		const learned = ages.map((ageMs) => learnedIntervalMs(ageMs, NOTHING_KNOWN));

		expect(learned).toEqual(ages.map(plainIntervalMs));
	});

	it('grows with every job that has survived this age, where none has ended', () => {
		const plain = plainIntervalMs(MINUTE);

		expect(learnedIntervalMs(MINUTE, { surviving: 3, ending: 0 })).toBeCloseTo(2 * plain, 6);
		expect(learnedIntervalMs(MINUTE, { surviving: 8, ending: 0 })).toBeCloseTo(3 * plain, 6);
	});

	it('follows the square root of the hazard rate', () => {
		const ten = learnedIntervalMs(10 * MINUTE, { surviving: 1e6, ending: 100 });
		const forty = learnedIntervalMs(10 * MINUTE, { surviving: 4e6, ending: 100 });

		expect(forty / ten).toBeCloseTo(2, 2);
	});

	it('is a second at least, however certain the end is', () => {
		expect(learnedIntervalMs(30_000, { surviving: 30, ending: 30 })).toBe(1_000);
	});
});

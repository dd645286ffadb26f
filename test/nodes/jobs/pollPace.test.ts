import fc from 'fast-check';

import { withJitter, worthwhilePauseMs } from '../../../nodes/jobs/pollPace';

describe('the pause between two looks at a job', () => {
	it.each([
		['a job that has just begun', 0, 1_000],
		['a job of 10 seconds', 10_000, 1_000],
		['a job of 20 seconds', 20_000, 1_000],
		['a job of a minute', 60_000, 3_000],
		['a job of five minutes', 300_000, 15_000],
		['a job of ten minutes', 600_000, 30_000],
		['a job of four hours', 4 * 3_600_000, 30_000],
		['a job from the future, as clocks that differ make it', -5_000, 1_000],
	])('grows with the age of %s', (_label, ageMs, pauseMs) => {
		expect(worthwhilePauseMs(ageMs)).toBe(pauseMs);
	});

	it('delays the end of a job by a twentieth of its duration at most, beyond the first second', () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 240 * 60_000 }), (ageMs) => {
				expect(worthwhilePauseMs(ageMs)).toBeLessThanOrEqual(Math.max(1_000, ageMs / 20));
			}),
		);
	});

	it.each([
		['the least chance', 0, 8_500],
		['an even chance', 0.5, 10_000],
		['the greatest chance', 1, 11_500],
	])('is spread by up to 15 %%: %s', (_label, random, pauseMs) => {
		expect(withJitter(10_000, random)).toBeCloseTo(pauseMs);
	});
});

import type { Outlook } from './DurationHistory';

const MIN_MS = 1_000;
// Of jobs up to a quarter of an hour, people notice seconds; of longer ones, they don't.
const MAX_MS_OF_SHORT_JOBS = 5_500;
const MAX_MS = 30_000;
const POLLS_PER_AGE = 17;
const POLLS_PER_AGE_OF_LONG_JOBS = 150;
const MIN_WINDOW_MS = 2_000;
const WINDOW_PER_AGE = 0.1;
// What a poll costs: as much as seeing an end this much later.
const POLL_COST_MS = 30;

/**
 * How often a job of this age is worth a poll if nothing is known about its duration, in ms. An
 * interval in proportion to the age sees the end late by the same share of the duration, however long
 * the job takes.
 */
export function plainIntervalMs(ageMs: number): number {
	const short = Math.min(ageMs / POLLS_PER_AGE, MAX_MS_OF_SHORT_JOBS);
	const long = Math.min(ageMs / POLLS_PER_AGE_OF_LONG_JOBS, MAX_MS);
	return Math.max(MIN_MS, short, long);
}

/** Within how many ms around an age jobs count as ending at that age. */
export function windowMs(ageMs: number): number {
	return Math.max(MIN_WINDOW_MS, ageMs * WINDOW_PER_AGE);
}

/**
 * The same if it is known how long such jobs have taken.
 *
 * When polls come every I ms, an end is seen I/2 late on average, and with the hazard rate h (the
 * probability per ms that a job which still runs ends now) a poll at a cost of c saves h * I / 2. The
 * sum of both is least for I = sqrt(c / h): often where ends are likely, rarely elsewhere (J. B.
 * Keller, Optimum Checking Schedules for Systems Subject to Random Failure, Management Science 21,
 * 1974). The hazard is estimated from the jobs that survived until this age, together with the plain
 * interval, which counts as one job: what has no example yet falls back to it.
 */
export function learnedIntervalMs(ageMs: number, { surviving, ending }: Outlook): number {
	const plainMs = plainIntervalMs(ageMs);
	const plainHazard = POLL_COST_MS / plainMs ** 2;
	const endingHazard = ending / windowMs(ageMs);
	// As a multiple of the plain interval, which it is to the last digit where nothing is known.
	const hazardRatio = (1 + endingHazard / plainHazard) / (1 + surviving);
	return Math.max(MIN_MS, plainMs / Math.sqrt(hazardRatio));
}

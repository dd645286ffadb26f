const MIN_MS = 1_000;
// Of jobs up to a quarter of an hour, people notice seconds; of longer ones, they don't.
const MAX_MS_OF_SHORT_JOBS = 5_500;
const MAX_MS = 30_000;
const POLLS_PER_AGE = 17;
const POLLS_PER_AGE_OF_LONG_JOBS = 150;

/**
 * How often a job of this age is worth a poll, in ms. An interval in proportion to the age notices the
 * end late by the same share of the duration, however long the job takes.
 */
export function ownIntervalMs(ageMs: number): number {
	const short = Math.min(ageMs / POLLS_PER_AGE, MAX_MS_OF_SHORT_JOBS);
	const long = Math.min(ageMs / POLLS_PER_AGE_OF_LONG_JOBS, MAX_MS);
	return Math.max(MIN_MS, short, long);
}

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
// A job is looked at twenty times while its age doubles 1.6 times: on average its end is seen
// after a fortieth of its duration.
const LOOKS_PER_AGE = 20;
// So that several n8n processes that started together do not go on marching in step.
const JITTER = 0.15;

/** How often a job that has been waited for this long is worth a look, in ms. */
export function worthwhilePauseMs(ageMs: number): number {
	return Math.min(Math.max(ageMs / LOOKS_PER_AGE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

/** The pause, up to 15 % longer or shorter. `random` is from 0 up to 1. */
export function withJitter(pauseMs: number, random: number): number {
	return pauseMs * (1 + JITTER * (2 * random - 1));
}

import type { RateLimiter } from '../../service/RateLimiter';
import { waitsIn, type SuspendedState } from './state';

// n8n keeps shorter waits in memory, where the execution occupies a worker.
const MIN_STORED_MS = 65_000;

// n8n reads the clock twice, so a wait of 65 s can come out a millisecond too short.
const MIN_SUSPENSION_MS = MIN_STORED_MS + 1_000;

// What n8n takes to resume an execution.
const RESUME_MS = 4_000;

const MAX_SUSPENSION_MS = 5 * 60_000;

// Checks come at intervals in proportion to how long the wait has been suspended.
const CHECKS_PER_AGE = 8;

/**
 * How long an execution waits before it is suspended. Most jobs end within it, and need no
 * database.
 */
export const WAIT_IN_PROCESS_MS = 60_000;

/** With less time left, a wait ends in the process: n8n would resume it too late. */
export const MIN_LEFT_MS = MIN_SUSPENSION_MS + RESUME_MS;

/** The last poll, a pause, and n8n's own part until it resumes the execution with the results. */
export const ENDING_MS = 30_000;

/**
 * What 'Timeout After' in the workflow's settings must leave for a suspension that ends in time.
 */
export const MIN_LEFT_OF_TIMEOUT_MS = MIN_LEFT_MS + ENDING_MS;

/**
 * The seconds until the next round. They grow with the age of the wait, are fewer than 'Poll
 * Interval (Seconds)' only to meet a deadline, and never so few that n8n would keep the execution
 * in memory. Reserves the round's polls with `limiter`, which is undefined when there is no
 * credential: then nothing is polled.
 */
export function secondsToNextRound(
	state: SuspendedState,
	now: number,
	limiter?: RateLimiter,
): number {
	const waits = waitsIn(state).map(({ wait }) => wait);
	const paced = (now - state.suspendedAt) / CHECKS_PER_AGE;
	const suitsAge = Math.min(Math.max(paced, MIN_SUSPENSION_MS), MAX_SUSPENSION_MS);
	const wanted = Math.max(suitsAge, ...waits.map(({ options }) => options.pollIntervalMs));
	const firstDeadline = Math.min(...waits.map(({ deadline }) => deadline));
	const earliest = Math.max(Math.min(now + wanted, firstDeadline), now + MIN_SUSPENSION_MS);
	const freeAt = limiter?.reserve(earliest, waits.length) ?? earliest;
	// A last poll goes before all others, and needs no reservation.
	const chosen = Math.max(Math.min(freeAt, firstDeadline), now + MIN_SUSPENSION_MS);
	return Math.ceil((chosen - now) / 1000);
}

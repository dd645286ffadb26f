import type { RateLimiter } from '../../service/RateLimiter';
import { waitsIn, type SuspendedState } from './state';

// n8n keeps shorter waits in memory, and the execution then occupies a worker.
const MIN_STORED_MS = 65_000;

// n8n reads the clock twice, so a wait of 65 s can come out a millisecond too short.
const MIN_SUSPENSION_MS = MIN_STORED_MS + 1_000;

// How long n8n takes to resume an execution.
const RESUME_MS = 4_000;

const MAX_SUSPENSION_MS = 5 * 60_000;

// The interval between two rounds, as a fraction of the time since the suspension.
const INTERVAL_TO_AGE_RATIO = 1 / 8;

/**
 * How long an execution waits in the process before it is suspended. Most jobs end within this time
 * and so never need n8n's database.
 */
export const WAIT_IN_PROCESS_MS = 60_000;

/** A wait with less time left is not suspended: n8n would resume it too late. */
export const MIN_LEFT_MS = MIN_SUSPENSION_MS + RESUME_MS;

/** Time for the final poll, for a pause, and for n8n to resume the suspended execution. */
export const ENDING_MS = 30_000;

/** An execution with less of 'Timeout After' left is not suspended: it would not end in time. */
export const MIN_LEFT_OF_TIMEOUT_MS = MIN_LEFT_MS + ENDING_MS;

/**
 * Returns the time until the next round, in s. It grows with the time since the suspension, ends at
 * the first deadline, and is never so short that n8n would keep the execution in memory. Reserves
 * the round's polls with `limiter`, which is undefined without a usable credential: then nothing is
 * polled. `now`: a timestamp in ms.
 */
export function secondsToNextRound(
	state: SuspendedState,
	now: number,
	limiter?: RateLimiter,
): number {
	const waits = waitsIn(state).map(({ wait }) => wait);
	const ageMs = now - state.suspendedAt;
	const intervalMs = Math.min(
		Math.max(ageMs * INTERVAL_TO_AGE_RATIO, MIN_SUSPENSION_MS),
		MAX_SUSPENSION_MS,
	);
	const minAt = now + MIN_SUSPENSION_MS;
	const firstDeadline = Math.min(...waits.map(({ deadline }) => deadline));
	const dueAt = Math.max(Math.min(now + intervalMs, firstDeadline), minAt);
	const reservedAt = limiter?.reserve(dueAt, waits.length) ?? dueAt;
	// At the deadline no reservation is needed: a final poll goes before all others.
	const roundAt = Math.max(Math.min(reservedAt, firstDeadline), minAt);
	return Math.ceil((roundAt - now) / 1000);
}

/**
 * Caps the deadlines of all waits in `state` at the timeout of the workflow, if it has one: n8n
 * would cancel an execution that it resumes later, and the output would be lost. `startedAt`:
 * when the suspended execution began, a timestamp in ms.
 */
export function capDeadlines(state: SuspendedState, startedAt: number): void {
	if (state.timeoutSeconds === undefined) return;
	const limit = startedAt + state.timeoutSeconds * 1000 - ENDING_MS;
	for (const { wait } of waitsIn(state)) {
		if (wait.deadline <= limit) continue;
		wait.deadline = limit;
		wait.isLimitedByWorkflow = true;
	}
}

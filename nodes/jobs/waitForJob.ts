import type { Job } from '../service/types';
import type { Clock } from '../async/clock';

/** How to wait. Times are the clock's, in ms. */
export interface WaitForJob {
	clock: Clock;
	deadline: number;
	/** Unset: it looks at the job at once. */
	firstPauseMs?: number;
	/** How long to pause after the nth poll (1 is the first), `ageMs` after the wait began. */
	pauseAfter(poll: number, ageMs: number): number;
	endsWait(job: Job): boolean;
	/** Whether a poll that went wrong may go right later, and the pause it asks for. Unset: none is. */
	transientFault?(error: unknown, ageMs: number): PassingFault | undefined;
	signal?: AbortSignal;
	/** Ends the wait here when it is aborted. */
	leave?: AbortSignal;
	/** Ends the current pause early when it is aborted; asked for at every pause. */
	wake?(): AbortSignal;
	/** Told when the wait is over, once. */
	end?(result: WaitResult): void;
}

export interface PassingFault {
	retryAfterMs?: number;
}

/**
 * How a wait ended. `reason` is `ended` when the job's status ended it, `deadline` when time was
 * up, `stopped` when the execution was stopped, `fault` when a poll went wrong for good, and `left`
 * when it goes on elsewhere.
 */
export interface WaitResult {
	reason: 'ended' | 'deadline' | 'stopped' | 'fault' | 'left';
	/** As last seen; unset when no poll was answered. */
	job?: Job;
	/** What went wrong with the last poll, if it did. */
	fault?: unknown;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Asks for the job until its status ends the wait, or the deadline has passed, or the signal is
 * aborted, or a poll fails for good. Has a last look at the deadline. Never rejects: whether the
 * way it ended is good news is for the caller to say.
 */
export async function waitForJob(
	getJob: () => Promise<Job>,
	wait: WaitForJob,
): Promise<WaitResult> {
	const { clock, deadline, firstPauseMs = 0, signal, leave } = wait;
	if (firstPauseMs > 0) {
		await clock.sleep(Math.min(firstPauseMs, deadline - clock.now()), signal, leave);
	}
	const began = clock.now();
	let job: Job | undefined;
	let fault: unknown;
	let faultsInARow = 0;

	for (let poll = 1; ; poll++) {
		if (signal?.aborted) return ended(wait, { reason: 'stopped', job, fault });
		if (leave?.aborted) return ended(wait, { reason: 'left', job, fault });
		const isLastLook = clock.now() >= deadline;
		let pauseMs: number;
		let woken: AbortSignal | undefined;
		try {
			job = await getJob();
			fault = undefined;
			faultsInARow = 0;
			if (wait.endsWait(job)) return ended(wait, { reason: 'ended', job });
			pauseMs = wait.pauseAfter(poll, clock.now() - began);
			woken = wait.wake?.();
		} catch (error) {
			if (signal?.aborted) return ended(wait, { reason: 'stopped', job, fault: error });
			const passing = wait.transientFault?.(error, clock.now() - began);
			fault = error;
			if (passing === undefined) return ended(wait, { reason: 'fault', job, fault });
			const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** faultsInARow++, LONGEST_BACKOFF_MS);
			pauseMs = Math.max(backoffMs, passing.retryAfterMs ?? 0);
		}
		if (isLastLook) return ended(wait, { reason: 'deadline', job, fault });
		await clock.sleep(Math.min(pauseMs, deadline - clock.now()), signal, leave, woken);
	}
}

function ended(wait: WaitForJob, result: WaitResult): WaitResult {
	wait.end?.(result);
	return result;
}

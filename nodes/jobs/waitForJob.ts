import { ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryPolicies';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import type { JobWait, WaitOptions, WaitResult } from './JobWait';
import { isFinished, isPaused, isTakenOver } from './status';

/** What a wait needs of its item's session. */
type WaitSession = Pick<JobSession, 'clock' | 'entry' | 'signal' | 'waitSignal'> & {
	client: Pick<ServiceClient, 'account' | 'getJob'>;
};

const BACKOFF = { firstMs: 1_000, maxMs: 30_000 };
// All waits together take turns with the calls of executions, whose names are numbers.
const WAITS = 'waits';
// How long a last poll waits for its permit.
const MAX_LAST_QUEUE_MS = 4_000;
// How long the poll of a suspended wait does: meanwhile, its execution occupies a worker.
const MAX_SUSPENDED_QUEUE_MS = 10_000;

const MIN_INTERVAL_MS = 1_000;
// A delay of seconds is noticed for jobs of up to a quarter of an hour, and not for longer ones.
const MAX_INTERVAL_OF_SHORT_JOBS_MS = 5_500;
const MAX_INTERVAL_MS = 30_000;
const POLLS_PER_AGE = 17;
const POLLS_PER_AGE_OF_LONG_JOBS = 150;
// Keeps processes that began together from polling together.
const JITTER = 0.15;

/**
 * Polls a job until its status or the deadline ends the wait. A poll at the deadline is its last
 * one, and is given up after a few seconds, so that the wait ends in time whatever else is waited
 * for. Never rejects: the caller judges the end.
 */
export async function waitForJob(
	session: WaitSession,
	wait: JobWait,
	random: () => number = Math.random,
): Promise<WaitResult> {
	const { client, clock, entry, waitSignal: signal } = session;
	const { polls: limiter } = client.account;
	const { jobId, deadline, isSuspended = false, options } = wait;
	const startedAt = wait.startedAt ?? wait.waitBegan;
	const nextPollAt = (lastPollAt: number, pauseMs = 0) => {
		const intervalMs = pollIntervalMs(lastPollAt - startedAt) * (1 + JITTER * (2 * random() - 1));
		return lastPollAt + Math.max(intervalMs, options.pollIntervalMs, pauseMs);
	};

	let { job } = entry.known;
	let error: unknown;
	let errorsInARow = 0;
	const lastSeenAt = entry.known.seenAt ?? wait.startedAt;
	let dueAt = lastSeenAt === undefined ? startedAt : nextPollAt(lastSeenAt);
	// A first look tells at once what has ended before, and a suspended wait has few polls.
	let isSpaced = lastSeenAt !== undefined && !isSuspended;

	const suspendAt = isSuspended ? clock.now() + MAX_SUSPENDED_QUEUE_MS : Infinity;

	for (;;) {
		await clock.sleep(Math.min(dueAt, deadline, suspendAt) - clock.now(), signal);
		const now = clock.now();
		const isLast = now >= deadline;
		const turn = {
			execution: WAITS,
			signal,
			dueAt: isLast ? -Infinity : dueAt,
			isSpaced: isSpaced && !isLast,
			deadline: isLast ? now + MAX_LAST_QUEUE_MS : Math.min(deadline, suspendAt),
		};
		// Undefined if the wait is aborted, or if there was no free call until then.
		const permit = await limiter.acquire(turn).catch(() => {});
		if (signal.aborted) {
			permit?.cancel();
			return { reason: whyAborted(session) };
		}
		if (permit === undefined) {
			if (isLast) return { reason: 'deadline', job, error };
			if (clock.now() >= suspendAt) return { reason: 'suspended' };
			continue;
		}

		let pauseMs = 0;
		try {
			// A last poll has time for its response.
			const callDeadline = Math.max(deadline, clock.now());
			const seen = await client.getJob(jobId, { permit, signal, deadline: callDeadline });
			entry.recordSeen(seen);
			job = entry.known.job;
			if (endsWait(seen, options)) return { reason: 'status', job: seen };
			if (clock.now() >= deadline) return { reason: 'deadline', job: seen };
			error = undefined;
			errorsInARow = 0;
		} catch (failure) {
			if (signal.aborted) return { reason: whyAborted(session) };
			error = failure;
			if (!isTransient(failure, jobId, client)) return { reason: 'error', error };
			if (clock.now() >= deadline) return { reason: 'deadline', job, error };
			pauseMs = backoffMs(failure, errorsInARow++, BACKOFF);
		}
		if (isSuspended) return { reason: 'suspended' };
		dueAt = nextPollAt(clock.now(), pauseMs);
		isSpaced = true;
	}
}

/**
 * In ms. In proportion to the age, it delays the end of each job by the same share of its duration.
 */
export function pollIntervalMs(ageMs: number): number {
	const short = Math.min(ageMs / POLLS_PER_AGE, MAX_INTERVAL_OF_SHORT_JOBS_MS);
	const long = Math.min(ageMs / POLLS_PER_AGE_OF_LONG_JOBS, MAX_INTERVAL_MS);
	return Math.max(MIN_INTERVAL_MS, short, long);
}

/** The wait's signal is aborted by the execution's, and when the wait is to be suspended. */
function whyAborted({ signal }: WaitSession): 'aborted' | 'suspended' {
	return signal.aborted ? 'aborted' : 'suspended';
}

function endsWait(job: Job, { onPaused, onTakenOver }: WaitOptions): boolean {
	if (isTakenOver(job)) return onTakenOver !== 'wait';
	return isFinished(job) || (onPaused === 'return' && isPaused(job));
}

/** Whether a further poll may succeed. A 404 right after the start means nothing yet. */
function isTransient(
	error: unknown,
	jobId: string,
	{ account }: Pick<ServiceClient, 'account'>,
): boolean {
	if (!(error instanceof ServiceError)) return false;
	return error.isTransient || (error.kind === 'notFound' && account.mayBeUnknownYet(jobId));
}

import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { backoffMs } from '../service/backoff';
import type { JobKinds } from './DurationHistory';
import type { PollScheduler } from './PollScheduler';
import { isFinished, isPaused, isTakenOver } from './status';

/** How to wait. */
export interface WaitOptions {
	maxWaitMs: number;
	/** The minimum time between polls; unset: none. */
	pollIntervalMs?: number;
	onPaused: 'wait' | 'return';
	/** `fail`: as any other job that has not succeeded. */
	onTakenOver: 'fail' | 'return' | 'wait';
}

/** A job and the times of its wait, by the clock, in ms. */
export interface WaitTimes {
	jobId: string;
	/** Unset: somebody else has started it. */
	startedAt?: number;
	waitBegan: number;
	deadline: number;
}

/** The kind of jobs that somebody else has started. */
const UNKNOWN_KINDS: JobKinds = ['unknown'];

/** What to wait for, and what ends the wait. */
export interface JobWait extends WaitTimes {
	/** What the job is an example of, for its likely duration. */
	kinds?: JobKinds;
	signal: AbortSignal;
	/** Ends the wait when the account has too few credits; its reason is the error. */
	guardSignal?: AbortSignal;
	/** Ends the wait here when it is aborted, to be continued elsewhere. */
	suspendSignal?: AbortSignal;
}

/** What is needed to wait. */
export interface WaitContext {
	client: ServiceClient;
	scheduler: PollScheduler;
	clock: Clock;
}

/**
 * How a wait ended: by the job's status, at the deadline, because it was aborted or is suspended, for
 * lack of credits, or by an error that no further poll can change. `job` is the job as last seen, `error`
 * what was wrong with the last poll or with the credits.
 */
export interface WaitResult {
	reason: 'status' | 'deadline' | 'aborted' | 'suspended' | 'lowCredits' | 'error';
	job?: Job;
	error?: unknown;
}

const JUST_STARTED_MS = 1_000;
const BACKOFF = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Polls a job until its status ends the wait or the deadline passes. Transient errors are tolerated
 * until then. Never rejects: the caller decides what the end means.
 */
export async function waitForJob(
	{ client, scheduler, clock }: WaitContext,
	wait: JobWait,
	options: WaitOptions,
): Promise<WaitResult> {
	const { jobId, startedAt, waitBegan, deadline, guardSignal, suspendSignal } = wait;
	const signals = [wait.signal, guardSignal, suspendSignal].filter((one) => one !== undefined);
	const signal = signals.length === 1 ? wait.signal : AbortSignal.any(signals);
	let job: Job | undefined;
	let error: unknown;
	let errorsInARow = 0;

	const reason = await new Promise<WaitResult['reason']>((resolve) => {
		scheduler.add({
			jobId,
			kinds: wait.kinds ?? UNKNOWN_KINDS,
			bornAt: startedAt ?? waitBegan,
			isNew: startedAt !== undefined && waitBegan - startedAt < JUST_STARTED_MS,
			minIntervalMs: options.pollIntervalMs ?? 0,
			deadline,
			signal,
			poll: (turn) =>
				client.getJob(jobId, { turn, signal, deadline: Math.max(deadline, clock.now()) }),
			receive(received) {
				job = received;
				error = undefined;
				errorsInARow = 0;
				const isOver = endsWait(received, options);
				if (isOver) resolve('status');
				return isOver;
			},
			fail(failure) {
				error = failure;
				if (!isTransient(failure, jobId, client)) resolve('error');
				else return backoffMs(failure, errorsInARow++, BACKOFF);
				return undefined;
			},
			end: resolve,
		});
	});
	if (reason !== 'aborted' || wait.signal.aborted) return { reason, job, error };
	if (guardSignal?.aborted !== true) return { reason: 'suspended', job, error };
	return { reason: 'lowCredits', job, error: guardSignal.reason };
}

/** Whether a job's status ends the wait for it. */
export function endsWait(
	job: Job,
	{ onPaused, onTakenOver }: Pick<WaitOptions, 'onPaused' | 'onTakenOver'>,
): boolean {
	if (isTakenOver(job)) return onTakenOver !== 'wait';
	return isFinished(job) || (onPaused === 'return' && isPaused(job));
}

/** Whether a further poll may succeed. A 404 right after the start means nothing yet. */
export function isTransient(error: unknown, jobId: string, { account }: ServiceClient): boolean {
	if (!(error instanceof ServiceError)) return false;
	return error.isTransient || (error.kind === 'notFound' && account.mayBeUnknownYet(jobId));
}

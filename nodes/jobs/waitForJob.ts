import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import { backoffMs } from '../service/backoff';
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

/** What to wait for, and what ends the wait. */
export interface JobWait extends WaitTimes {
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
			startedAt,
			waitBegan,
			minIntervalMs: options.pollIntervalMs ?? 0,
			deadline,
			signal,
			async poll(permit) {
				try {
					// A last poll at the deadline has time for its response.
					const callDeadline = Math.max(deadline, clock.now());
					job = await client.getJob(jobId, { permit, signal, deadline: callDeadline });
					error = undefined;
					errorsInARow = 0;
					if (!endsWait(job, options)) return 0;
					resolve('status');
				} catch (failure) {
					error = failure;
					if (isTransient(failure, jobId, client))
						return backoffMs(failure, errorsInARow++, BACKOFF);
					resolve('error');
				}
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

import { ServiceError } from '../errors/ServiceError';
import { backoffMs } from '../service/retryRead';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job } from '../service/types';
import type { JobContext } from './JobContext';
import { isFinished, isPaused, isTakenOver } from './status';

/** What the user wants of a wait, and of the ways in which it can end. */
export interface WaitOptions {
	maxWaitMs: number;
	pollIntervalMs: number;
	onPaused: 'wait' | 'return';
	/** `fail`: as any other job that has not succeeded. */
	onTakenOver: 'fail' | 'return' | 'wait';
	onTimeout: 'fail' | 'return';
	onUnsuccessful: 'fail' | 'return';
}

/** What is waited for, and how. Times are the clock's, in ms. It can be written as JSON. */
export interface JobWait {
	jobId: string;
	/** Unset: somebody else has started it. */
	startedAt?: number;
	waitBegan: number;
	deadline: number;
	/** Whether the wait is suspended again after one poll. */
	isSuspended?: boolean;
	/** Whether the deadline is that of the workflow's own time-out. */
	isLimitedByWorkflow?: boolean;
	options: WaitOptions;
}

/** How a wait ended, the job as last seen, and what was wrong with the last poll or the credits. */
export interface WaitResult {
	reason: 'status' | 'deadline' | 'aborted' | 'suspended' | 'lowCredits' | 'error';
	job?: Job;
	error?: unknown;
}

const BACKOFF = { firstMs: 1_000, maxMs: 30_000 };

/** Polls a job until its status or the deadline ends the wait. Never rejects: the caller judges the end. */
export async function waitForJob(context: JobContext, wait: JobWait): Promise<WaitResult> {
	const { client, clock, credits, entry, scheduler, waitSignal: signal } = context;
	const { jobId, startedAt, waitBegan, deadline, isSuspended = false, options } = wait;
	let { job } = entry.facts;
	let error: unknown;
	let errorsInARow = 0;

	const reason = await new Promise<WaitResult['reason']>((resolve) => {
		scheduler.add({
			startedAt: startedAt ?? waitBegan,
			seenAt: entry.facts.seenAt ?? startedAt,
			minIntervalMs: options.pollIntervalMs,
			// A suspended wait has its last poll whenever n8n resumes it.
			deadline: isSuspended ? Infinity : deadline,
			signal,
			async poll(permit) {
				const isLate = clock.now() >= deadline;
				let pauseMs = 0;
				try {
					// A last poll at the deadline has time for its response.
					const callDeadline = Math.max(deadline, clock.now());
					const seen = await client.getJob(jobId, { permit, signal, deadline: callDeadline });
					const isOver = endsWait(seen, options);
					entry.recordSeen(seen);
					job = isOver || isLate ? seen : entry.facts.job;
					error = undefined;
					errorsInARow = 0;
					if (isOver) return void resolve('status');
				} catch (failure) {
					error = failure;
					if (!isTransient(failure, jobId, client)) return void resolve('error');
					pauseMs = backoffMs(failure, errorsInARow++, BACKOFF);
				}
				if (!isSuspended) return pauseMs;
				return void resolve(isLate ? 'deadline' : 'suspended');
			},
			end: resolve,
		});
	});
	if (reason !== 'aborted' || context.signal.aborted) return { reason, job, error };
	if (!credits.lowSignal.aborted) return { reason: 'suspended', job, error };
	return { reason: 'lowCredits', job, error: credits.lowSignal.reason };
}

function endsWait(job: Job, { onPaused, onTakenOver }: WaitOptions): boolean {
	if (isTakenOver(job)) return onTakenOver !== 'wait';
	return isFinished(job) || (onPaused === 'return' && isPaused(job));
}

/** Whether a further poll may succeed. A 404 right after the start means nothing yet. */
function isTransient(error: unknown, jobId: string, { account }: ServiceClient): boolean {
	if (!(error instanceof ServiceError)) return false;
	return error.isTransient || (error.kind === 'notFound' && account.mayBeUnknownYet(jobId));
}

import { mayBeUnknownYet } from '../service/recentStarts';
import { ServiceError } from '../errors/ServiceError';
import type { Job } from '../service/types';
import { crowdOf, type PollPace } from '../jobs/pollCrowd';
import { isFinished, isPaused } from '../jobs/status';
import {
	waitForJob,
	type PassingFault,
	type WaitForJob,
	type WaitResult,
} from '../jobs/waitForJob';
import type { WatchedJob } from './concludeWait';
import type { ItemRun, SharedRun } from './operations/operation';
import type { WaitOptions } from '../parameters/waiting';

// The last look is at the deadline, or later on a busy machine, and may have to stand in line for a
// moment.
const LAST_LOOK_MS = 2_000;

type Run = SharedRun & Pick<ItemRun, 'leave'>;

/**
 * Waits for a job in this process: until it is finished, or paused where that ends the wait, or until
 * its deadline. Never rejects, and makes nothing of how it ended: that is for `concludeWait`.
 */
export function followJob(
	run: Run,
	watched: WatchedJob,
	options: WaitOptions,
): Promise<WaitResult> {
	const wait = new Wait(run, watched, options);
	return waitForJob(() => wait.getJob(), wait);
}

/** Whether a job's status ends the wait for it. */
export function endsWait(job: Job, { onPaused }: WaitOptions): boolean {
	return isFinished(job) || (onPaused === 'return' && isPaused(job));
}

/** Whether a look at the job that went wrong may go right later, and the pause it asks for. */
export function transientFault(
	error: unknown,
	{ jobId, startedAt }: WatchedJob,
	now: number,
): PassingFault | undefined {
	if (!(error instanceof ServiceError)) return undefined;
	const isUnknownYet = error.kind === 'notFound' && mayBeUnknownYet(jobId, now, startedAt);
	return error.isTransient || isUnknownYet ? { retryAfterMs: error.facts.retryAfterMs } : undefined;
}

// One object for each job that is waited for, not a function for each question: there may be
// thousands, for hours.
class Wait implements WaitForJob {
	readonly firstPauseMs?: number;

	private readonly ageMs: number;

	private readonly pace: PollPace;

	constructor(
		private readonly run: Run,
		private readonly watched: WatchedJob,
		private readonly options: WaitOptions,
	) {
		const { startedAt, waitBegan } = watched;
		this.ageMs = startedAt === undefined ? 0 : waitBegan - startedAt;
		const crowd = crowdOf(run.client.statusBudget, run.clock);
		this.pace = crowd.join(this.ageMs, options.pollIntervalMs ?? 0);
		// A job that was just started has nothing to tell yet.
		if (startedAt !== undefined) this.firstPauseMs = this.pace.pauseAfter(this.ageMs);
	}

	get clock() {
		return this.run.clock;
	}

	get deadline() {
		return this.watched.deadline;
	}

	get signal() {
		return this.run.signal;
	}

	get leave() {
		return this.run.leave;
	}

	getJob(): Promise<Job> {
		return this.run.client.getJob(this.watched.jobId, {
			signal: this.signal,
			deadline: Math.max(this.deadline, this.clock.now()) + LAST_LOOK_MS,
			priority: 'background',
		});
	}

	pauseAfter(_poll: number, ageMs: number): number {
		return this.pace.pauseAfter(this.ageMs + ageMs);
	}

	endsWait(job: Job): boolean {
		return endsWait(job, this.options);
	}

	transientFault(error: unknown): PassingFault | undefined {
		return transientFault(error, this.watched, this.clock.now());
	}

	wake(): AbortSignal {
		return this.pace.wake;
	}

	end({ reason, job }: WaitResult): void {
		this.pace.end(job !== undefined && isFinished(job));
		this.run.logger.debug(`Browser Agent job ${this.watched.jobId}: the wait ended (${reason})`, {
			status: job?.status,
		});
	}
}

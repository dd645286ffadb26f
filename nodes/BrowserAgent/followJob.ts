import { mayBeUnknownYet } from '../client/freshStarts';
import { ServiceError } from '../errors/ServiceError';
import { crowdOf } from '../jobs/pollCrowd';
import { isFinished, isPaused } from '../jobs/status';
import {
	waitForJob,
	type PassingFault,
	type WaitForJob,
	type WaitResult,
} from '../jobs/waitForJob';
import type { WatchedJob } from './concludeWait';
import type { ItemRun, SharedRun } from './operations/operation';
import type { WaitOptions } from './parameters/waiting';

// The last look is at the deadline, and may have to stand in line for a moment.
const LAST_LOOK_MS = 2_000;

/**
 * Waits for a job in this process: until it is finished, or paused where that ends the wait, or until
 * its deadline. Never rejects, and makes nothing of how it ended: that is for `concludeWait`.
 */
export async function followJob(
	run: SharedRun & Pick<ItemRun, 'leave'>,
	watched: WatchedJob,
	options: WaitOptions,
): Promise<WaitResult> {
	const { client, clock, signal, leave } = run;
	const { jobId, startedAt, waitBegan, deadline } = watched;
	const age = startedAt === undefined ? 0 : waitBegan - startedAt;
	const pace = crowdOf(client.statusBudget, clock).join(age, options.pollIntervalMs ?? 0);

	let result: WaitResult | undefined;
	try {
		// A job that was just started has nothing to tell yet.
		if (startedAt !== undefined) {
			await clock.sleep(Math.min(pace.pauseAfter(age), options.maxWaitMs), signal);
		}
		result = await waitForJob(
			async () =>
				await client.getJob(jobId, {
					signal,
					deadline: deadline + LAST_LOOK_MS,
					priority: 'background',
				}),
			{
				clock,
				deadline,
				signal,
				leave,
				pauseAfter: (_poll, ageMs) => pace.pauseAfter(age + ageMs),
				wake: () => pace.wake,
				...waitRules(run, watched, options),
			},
		);
	} finally {
		pace.end(result?.job !== undefined && isFinished(result.job));
	}
	run.logger.debug(`Browser Agent job ${jobId}: the wait ended (${result.reason})`, {
		status: result.job?.status,
	});
	return result;
}

/** What ends a wait, and which faults do not. */
export function waitRules(
	{ clock }: Pick<SharedRun, 'clock'>,
	{ jobId, startedAt }: WatchedJob,
	{ onPaused }: WaitOptions,
): Required<Pick<WaitForJob, 'endsWait' | 'passingFault'>> {
	return {
		endsWait: (job) => isFinished(job) || (onPaused === 'return' && isPaused(job)),
		passingFault: (error) => passingFault(error, mayBeUnknownYet(jobId, clock.now(), startedAt)),
	};
}

function passingFault(error: unknown, mayBeUnknown: boolean): PassingFault | undefined {
	if (!(error instanceof ServiceError)) return undefined;
	const isUnknownYet = error.kind === 'notFound' && mayBeUnknown;
	return error.isPassing || isUnknownYet ? { retryAfterMs: error.facts.retryAfterMs } : undefined;
}

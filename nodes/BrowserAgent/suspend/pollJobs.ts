import type { IExecuteFunctions } from 'n8n-workflow';

import type { Job } from '../../service/types';
import { describeServiceError } from '../../errors/describeServiceError';
import { stopped } from '../../errors/UserError';
import { ServiceError } from '../../errors/ServiceError';
import { limitConcurrency } from '../../async/limitConcurrency';
import { isPaused } from '../../jobs/status';
import { endsInError } from '../concludeWait';
import { endsWait, transientFault } from '../followJob';
import type { SharedRun } from '../operations/operation';
import { pauseAbandonedJob } from '../pauseAbandonedJob';
import type { FinishedItemOptions } from '../toFinishedItem';
import {
	isOpen,
	toStoredJob,
	toTravellingItem,
	type DurableState,
	type StoredItem,
	type StoredResult,
	type StoredWait,
	type TravellingItem,
} from './state';

const JOBS_AT_ONCE = 5;
// A round holds a worker, so the rate budget has a minute to let it through.
const LONGEST_ROUND_MS = 60_000;

/**
 * One round of a durable wait: one status call for each job that is still waited for. The wait is
 * over when there is none left, or when an item has failed and the others are not to go on.
 * When the waiting execution was stopped or deleted, it pauses the jobs where that is wanted, and
 * throws: n8n does not stop the sub-workflow itself.
 */
export async function look(
	context: IExecuteFunctions,
	run: SharedRun,
	state: DurableState,
): Promise<TravellingItem> {
	const open = state.items.filter(isOpen);
	if (await isAbandoned(context, run, state)) {
		await limitConcurrency(open.length, JOBS_AT_ONCE, async (index) => {
			const wait = open[index];
			if (wait !== undefined && isToBePaused(wait)) {
				await pauseAbandonedJob(run, wait.handedOver.watched.jobId);
			}
		});
		const jobIds = open.map(({ handedOver }) => handedOver.watched.jobId);
		throw stopped(`nobody waits for job ${jobIds.join(', ')} any more`, { jobIds });
	}

	const deadline = run.clock.now() + LONGEST_ROUND_MS;
	// Those first that the last round had no room for.
	open.sort((one, other) => Number(wasLeftOut(other)) - Number(wasLeftOut(one)));
	await limitConcurrency(open.length, JOBS_AT_ONCE, async (index) => {
		const wait = open[index];
		if (wait !== undefined) wait.result = await lookAt(run, wait, deadline);
	});
	const isDone = !state.items.some(isOpen) || (!state.goesOn && state.items.some(hasFailed));
	return toTravellingItem(state, run.clock.now(), isDone);
}

async function lookAt(
	run: SharedRun,
	{ handedOver, result }: StoredWait,
	roundEndsAt: number,
): Promise<StoredResult> {
	const { client, clock, signal, logger } = run;
	const { watched, options } = handedOver;
	const reason = clock.now() >= watched.deadline ? 'deadline' : undefined;

	try {
		const job = await client.getJob(watched.jobId, {
			signal,
			deadline: roundEndsAt,
			priority: 'background',
		});
		const stored = toStoredJob(withCleanError(run, job, options), options);
		return { job: stored, reason: endsWait(job, options.wait) ? 'ended' : reason };
	} catch (error) {
		const fault = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		const { message } = describeServiceError(fault, { jobId: watched.jobId });
		logger.warn(`Browser Agent: ${message}`);
		const isTransient = transientFault(fault, watched, clock.now()) !== undefined;
		return { ...result, fault: fault.facts, reason: isTransient ? reason : 'fault' };
	}
}

// Only this client has seen the address of the job's browser, and the message is made by another.
function withCleanError({ client }: SharedRun, job: Job, { wait }: FinishedItemOptions): Job {
	const { error } = job;
	if (typeof error !== 'string' || wait.onUnsuccessful === 'return') return job;
	return { ...job, error: client.clean(error) };
}

function hasFailed(item: StoredItem): boolean {
	if (!('handedOver' in item) || item.result.reason === undefined) return false;
	const { reason, job } = item.result;
	return endsInError({ reason, job }, item.handedOver.options.wait);
}

function wasLeftOut({ result }: StoredWait): boolean {
	return result.fault?.kind === 'queueTimeout';
}

function isToBePaused({ handedOver, result }: StoredWait): boolean {
	const isPausedAlready = result.job !== undefined && isPaused(result.job);
	return handedOver.options.wait.pauseWhenAbandoned && !isPausedAlready;
}

// When n8n's database does not answer, nothing is known.
async function isAbandoned(
	context: IExecuteFunctions,
	{ logger }: SharedRun,
	{ parentExecutionId }: DurableState,
): Promise<boolean> {
	try {
		const parent = await context.getExecutionDataById(parentExecutionId);
		return parent === undefined || parent.resultData.error !== undefined;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		logger.warn(`Browser Agent could not look at execution ${parentExecutionId}: ${message}`);
		return false;
	}
}

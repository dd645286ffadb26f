import type { IExecuteFunctions } from 'n8n-workflow';

import { describeServiceError } from '../../errors/describeServiceError';
import { stopped } from '../../errors/NodeProblem';
import { ServiceError } from '../../errors/ServiceError';
import { limitParallel } from '../../jobs/limitParallel';
import { waitRules } from '../followJob';
import type { HandedOver, SharedRun } from '../operations/operation';
import { pauseAbandonedJob } from '../pauseAbandonedJob';
import {
	isOpen,
	secondsToNextRound,
	type DurableState,
	type StoredResult,
	type TravellingItem,
} from './state';

const JOBS_AT_ONCE = 5;
// A round holds a worker, so the rate budget has a minute to let it through.
const LONGEST_ROUND_MS = 60_000;

/**
 * One round of a durable wait: one status call for each job that is still waited for.
 * When the waiting execution was stopped or deleted, it pauses the jobs where that is wanted, and
 * throws: n8n does not stop the sub-workflow itself.
 */
export async function look(
	context: IExecuteFunctions,
	run: SharedRun,
	state: DurableState,
): Promise<TravellingItem> {
	const open = state.items.filter(isOpen);
	if (await isAbandoned(context, state)) {
		const toPause = open.filter(({ handedOver }) => handedOver.options.wait.pauseWhenAbandoned);
		await limitParallel(toPause.length, JOBS_AT_ONCE, async (index) => {
			const jobId = toPause[index]?.handedOver.watched.jobId;
			if (jobId !== undefined) await pauseAbandonedJob(run, jobId);
		});
		const jobIds = open.map(({ handedOver }) => handedOver.watched.jobId);
		throw stopped(`nobody waits for job ${jobIds.join(', ')} any more`, { jobIds });
	}

	await limitParallel(open.length, JOBS_AT_ONCE, async (index) => {
		const item = open[index];
		if (item !== undefined) item.result = await lookAt(run, item);
	});
	const isDone = !state.items.some(isOpen);
	const waitSeconds = isDone ? 0 : secondsToNextRound(state, run.clock.now());
	return { state, waitSeconds, isDone };
}

async function lookAt(
	run: SharedRun,
	{ handedOver, result }: HandedOver & { result: StoredResult },
): Promise<StoredResult> {
	const { client, clock, signal, logger } = run;
	const { watched, options } = handedOver;
	const { endsWait, passingFault } = waitRules(run, watched, options.wait);
	const reason = clock.now() >= watched.deadline ? 'deadline' : undefined;

	try {
		const job = await client.getJob(watched.jobId, {
			signal,
			deadline: clock.now() + LONGEST_ROUND_MS,
			priority: 'background',
		});
		// The service's own answer can hold the address of a browser, and this is stored.
		const stored = options.simplify ? { ...job, body: {} } : job;
		return { job: stored, reason: endsWait(job) ? 'ended' : reason };
	} catch (error) {
		const fault = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		const { message } = describeServiceError(fault, { jobId: watched.jobId });
		logger.warn(`Browser Agent: ${message}`);
		const isPassing = passingFault(fault, 0) !== undefined;
		return { ...result, fault: fault.facts, reason: isPassing ? reason : 'fault' };
	}
}

async function isAbandoned(
	context: IExecuteFunctions,
	{ parentExecutionId }: DurableState,
): Promise<boolean> {
	const parent = await context.getExecutionDataById(parentExecutionId);
	return parent === undefined || parent.resultData.error !== undefined;
}

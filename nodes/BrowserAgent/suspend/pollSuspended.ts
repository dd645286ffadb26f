import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency } from '../../async/limitConcurrency';
import { ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError } from '../../errors/UserError';
import type { JobContext } from '../../jobs/JobContext';
import { isFinished } from '../../jobs/status';
import { endsWait, isTransient } from '../../jobs/waitForJob';
import { isFailure, pauseAbandoned } from '../../jobs/waitOutcome';
import type { Run } from '../types';
import { isParentGone } from './isParentGone';
import { restoreLedger } from './restoreLedger';
import { toDate } from './dates';
import type { StoredWait, SuspendedState } from './state';
import { toStoredEntries } from './storedEntries';
import { toStoredJob } from './storedResults';
import { openWaits, toSuspendedJson } from './suspendedJson';

const MAX_CONCURRENT = 5;
// A round occupies a worker, so that its polls have a minute to get their permits.
const MAX_ROUND_MS = 60_000;

/**
 * One round: a poll for each job that is still waited for. The waits are over when none is left, or when
 * an item has failed without Continue On Fail. n8n does not stop the sub-workflow when the
 * suspended execution is stopped or deleted, so that this is found out here.
 */
export async function pollSuspended(
	run: Run,
	state: SuspendedState,
): Promise<INodeExecutionData[]> {
	const { clock, ledger } = run;
	const { credits, contextOf } = await restoreLedger(run, state);
	const open = openWaits(state);
	if (await isParentGone(run, state)) {
		const jobIds = open.map(({ jobId }) => jobId);
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	// Those first that got no permit in the last round.
	open.sort((one, other) => Number(gotNoPermit(other)) - Number(gotNoPermit(one)));
	const deadline = clock.now() + MAX_ROUND_MS;
	await limitConcurrency(open, MAX_CONCURRENT, async (wait) => {
		const context = contextOf(wait.jobId);
		await pollOnce(context, wait, deadline);
		// Before the last step: until then, other jobs may run for hours.
		const { reason } = wait.end ?? {};
		if (reason === 'deadline' || reason === 'error') await pauseAbandoned(context);
	});
	const balance = state.credits && (await credits.read());
	const isLow = credits.lowSignal.aborted;
	for (const wait of isLow ? open : []) {
		wait.end ??= { reason: 'lowCredits', job: contextOf(wait.jobId).entry.facts.job };
	}
	state.credits &&= {
		...state.credits,
		lastReadDate: toDate(credits.lastReadAt, clock),
		tooFew: isLow ? balance : undefined,
	};
	state.entries = toStoredEntries(ledger, state.results, clock);
	const hasFailed = open.some(({ end, options }) => end && isFailure(end, options.wait));
	const isDone = open.every(({ end }) => end !== undefined) || (hasFailed && !state.continueOnFail);
	const json = toSuspendedJson(state, clock.date(), isDone) as unknown as IDataObject;
	return [{ json, pairedItem: { item: 0 } }];
}

async function pollOnce(
	{ client, clock, entry, execution, logger, signal }: JobContext,
	wait: StoredWait,
	roundEnd: number,
): Promise<void> {
	const { jobId, deadlineDate, options } = wait;
	const isLate = clock.date() >= deadlineDate;
	try {
		const call = { execution, isBackground: true, signal, deadline: roundEnd };
		const job = await client.getJob(jobId, call);
		entry.recordSeen(job);
		wait.error = undefined;
		const reason = endsWait(job, options.wait) ? 'status' : isLate ? 'deadline' : undefined;
		if (reason === undefined) return;
		// Only this client knows the address of the job's browser; the message is made by another one.
		const error = typeof job.error === 'string' ? client.redact(job.error) : job.error;
		const isShown = isFinished(job) && !isFailure({ reason: 'status', job }, options.wait);
		wait.end = { reason, job: toStoredJob(isShown ? job : { ...job, error }, options) };
	} catch (error) {
		const known = error instanceof ServiceError ? error : new ServiceError({ kind: 'unreadable' });
		logger.warn(`Browser Agent: ${toUserError(known, { jobId }).message}`);
		wait.error = known.facts;
		const isLasting = !isTransient(known, jobId, client);
		if (!isLasting && !isLate) return;
		wait.end = { reason: isLasting ? 'error' : 'deadline', job: entry.facts.job };
	}
}

function gotNoPermit({ error }: StoredWait): boolean {
	return error?.kind === 'queueTimeout';
}

import { describeFileError, describeServiceError } from '../../errors/describeServiceError';
import { MAX_NAME_CHARACTERS } from '../../errors/plainText';
import { rethrown, ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { UserError } from '../../errors/UserError';
import type { JobKinds } from '../../jobs/DurationHistory';
import { downloadJobFiles } from '../../jobs/jobFiles';
import { isFinished } from '../../jobs/status';
import { waitForJob, type WaitResult, type WaitTimes } from '../../jobs/waitForJob';
import { waitOutcome } from '../../jobs/waitOutcome';
import { toAttachedFiles, type AttachedFiles } from '../../output/fileItem';
import { toJobItem } from '../../output/jobItem';
import type { FinishOptions, ItemResult, ItemRun, OutputItem, SuspendedItem } from '../run';
import { requireForm } from './requireForm';

/** A wait in this process that is over. */
export interface EndedWait {
	times: WaitTimes;
	result: WaitResult;
}

/** Waits for a job, from now on for as long as the options say, and returns its item. */
export async function finishJob(
	item: ItemRun,
	job: Pick<WaitTimes, 'jobId' | 'startedAt'>,
	options: FinishOptions,
): Promise<ItemResult[]> {
	return [await toResult(item, options, await waitFromNow(item, job, options))];
}

/** Waits for a job, from now on for as long as the options say. */
export async function waitFromNow(
	item: ItemRun,
	job: Pick<WaitTimes, 'jobId' | 'startedAt'>,
	options: FinishOptions,
	kinds?: JobKinds,
): Promise<EndedWait> {
	const waitBegan = item.clock.now();
	const times = { ...job, waitBegan, deadline: waitBegan + options.wait.maxWaitMs };
	return await continueWait(item, times, options, kinds);
}

/** The same for a wait that has begun already. */
export async function continueWait(
	item: ItemRun,
	times: WaitTimes,
	options: FinishOptions,
	kinds?: JobKinds,
): Promise<EndedWait> {
	const { entry, signal, guard, suspendSignal } = item;
	// A further try need not ask again for what an earlier one has seen.
	if (entry.state === 'finished') return { times, result: { reason: 'status', job: entry.job } };
	guard?.watch();
	const wait = { ...times, kinds, signal, guardSignal: guard?.signal, suspendSignal };
	const result = await waitForJob(item, wait, options.wait);
	entry.job = result.job ?? entry.job;
	return { times, result };
}

/** What comes of a wait: its item, or what is needed to continue it elsewhere. */
export async function toResult(
	item: ItemRun,
	options: FinishOptions,
	{ times, result }: EndedWait,
): Promise<OutputItem | SuspendedItem> {
	if (result.reason !== 'suspended') return await toFinishedItem(item, times, options, result);
	return { suspended: { item, times, options } };
}

/**
 * The item of a job whose wait is over, with the job's files if the user wants them. Throws a
 * `UserError` that names the job.
 */
export async function toFinishedItem(
	item: ItemRun,
	times: WaitTimes,
	options: FinishOptions,
	result: WaitResult,
): Promise<OutputItem> {
	try {
		return await toItem(item, times, options, result);
	} catch (error) {
		throw rethrown(toUserError(error, { jobId: times.jobId }));
	}
}

async function toItem(
	item: ItemRun,
	times: WaitTimes,
	options: FinishOptions,
	result: WaitResult,
): Promise<OutputItem> {
	const { job, durationSeconds } = await waitOutcome(item, times, options.wait, result);
	item.summary.noteEnd(item.client.toPlainText(job.status, MAX_NAME_CHARACTERS));
	const checked = await requireForm(item, job, options);
	const json = toJobItem(job, { ...options, checked, durationSeconds });
	if (!options.downloadFiles || !isFinished(job)) return { json };

	const { files, binary } = await downloadFiles(item, job.job_id, options);
	return { json: { ...json, files }, binary };
}

async function downloadFiles(
	{ client, signal, storeFile }: ItemRun,
	jobId: string,
	{ maxFileBytes: maxBytes }: FinishOptions,
): Promise<AttachedFiles> {
	try {
		const results = await downloadJobFiles(client, jobId, { maxBytes, signal, store: storeFile });
		const failed = results.find((result) => 'error' in result);
		if (failed !== undefined) throw describeFileError(failed.error, jobId, failed.filename);
		return toAttachedFiles(results);
	} catch (error) {
		throw rethrown(afterTheJob(error, jobId));
	}
}

function afterTheJob(error: unknown, jobId: string): unknown {
	const described = error instanceof ServiceError ? describeServiceError(error, { jobId }) : error;
	if (!(described instanceof UserError) || described.details.isStop === true) return described;
	return new UserError(described.message, {
		...described.details,
		description:
			`The job itself has finished. Get its files with Job File: Download; don't start it again. ${described.details.description ?? ''}`.trim(),
	});
}

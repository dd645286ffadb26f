import { describeServiceError } from '../../errors/describeServiceError';
import { MAX_NAME_CHARACTERS } from '../../errors/plainText';
import { rethrown, ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { UserError } from '../../errors/UserError';
import { downloadJobFiles } from '../../jobs/jobFiles';
import { isFinished } from '../../jobs/status';
import { waitForJob, type WaitResult } from '../../jobs/waitForJob';
import { waitOutcome } from '../../jobs/waitOutcome';
import { toAttachedFiles, type AttachedFiles } from '../../output/fileItem';
import { toJobItem } from '../../output/jobItem';
import type {
	FinishOptions,
	ItemResult,
	ItemRun,
	ItemWait,
	OutputItem,
	SuspendedItem,
} from '../run';
import { requireForm } from './requireForm';

/** The wait for an item's job, from now on for as long as the options say. */
export function beginWait(item: ItemRun, options: FinishOptions): ItemWait {
	const { jobId = '', started } = item.entry;
	const waitBegan = item.clock.now();
	const deadline = waitBegan + options.wait.maxWaitMs;
	const times = { jobId, startedAt: started?.startedAt, waitBegan, deadline };
	return { item, times, options };
}

/** Waits for a job, and returns its item. */
export async function finishJob(wait: ItemWait): Promise<ItemResult[]> {
	return [await toResult(wait, await waitToEnd(wait))];
}

/** Waits for a job in this process until the wait is over or suspended. Never rejects. */
export async function waitToEnd({ item, times, options }: ItemWait): Promise<WaitResult> {
	const { entry, signal, guard, suspendSignal } = item;
	// A further try need not ask again for what an earlier one has seen.
	if (entry.state === 'finished') return { reason: 'status', job: entry.job };
	guard?.watch();
	const wait = { ...times, signal, guardSignal: guard?.signal, suspendSignal };
	const result = await waitForJob(item, wait, options.wait);
	entry.job = result.job ?? entry.job;
	return result;
}

/**
 * What comes of a wait: what is needed to continue it elsewhere or, if it is over, the item of the job,
 * with its files if the user wants them. Throws a `UserError` that names the job.
 */
export async function toResult(
	wait: ItemWait,
	result: WaitResult,
): Promise<OutputItem | SuspendedItem> {
	if (result.reason === 'suspended') return { suspended: wait };
	try {
		return await toItem(wait, result);
	} catch (error) {
		throw rethrown(toUserError(error, { jobId: wait.times.jobId }));
	}
}

async function toItem({ item, times, options }: ItemWait, result: WaitResult): Promise<OutputItem> {
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
		if (failed !== undefined) throw toUserError(failed.error, { jobId, filename: failed.filename });
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

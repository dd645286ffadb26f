import { rethrown } from '../../async/retry';
import { describeServiceError } from '../../errors/describeServiceError';
import { ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { UserError } from '../../errors/UserError';
import type { JobSession } from '../../jobs/JobSession';
import { downloadJobFiles, listJobFiles } from '../../jobs/jobFiles';
import { waitForJob, type JobWait, type WaitResult } from '../../jobs/waitForJob';
import { settleWait } from '../../jobs/settleWait';
import { toCheckedOutput } from '../../output/checkedOutput';
import { toAttachedFiles, type AttachedFiles } from '../../output/fileItem';
import { toJobItem } from '../../output/jobItem';
import type { FinishOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { CheckedOutput } from '../../structuredOutput/checkOutput';
import { MIN_LEFT_MS } from '../suspend/timing';
import type { ItemOutcome } from '../types';

/** The wait for an item's job, from now on for as long as the options say. */
export function beginWait({ clock, entry }: JobSession, { wait: options }: FinishOptions): JobWait {
	const { jobId = '', started } = entry.known;
	const waitBegan = clock.now();
	const deadline = waitBegan + options.maxWaitMs;
	return { jobId, startedAt: started?.startedAt, waitBegan, deadline, options };
}

/** The item of a job, once the wait for it is over. */
export async function finishJob(
	session: JobSession,
	wait: JobWait,
	options: FinishOptions,
): Promise<ItemOutcome[]> {
	return [await toItem(session, wait, options, await waitToEnd(session, wait))];
}

/** Waits for a job in this process until the wait is over or suspended. Never rejects. */
export async function waitToEnd(session: JobSession, wait: JobWait): Promise<WaitResult> {
	const { entry } = session;
	// A retry need not ask again for what an earlier run has seen.
	if (entry.state === 'finished') return { reason: 'status', job: entry.known.job };
	session.onWaiting?.();
	const result = await waitForJob(session, wait);
	const isLate = wait.deadline - session.clock.now() < MIN_LEFT_MS;
	if (result.reason !== 'suspended' || !isLate) return result;
	const lastWait = { ...wait, isSuspended: false };
	return await waitForJob({ ...session, waitSignal: session.signal }, lastWait);
}

/**
 * Returns what a wait has led to: the item of the job, or the wait itself if it is suspended.
 * Throws a `UserError` that names the job.
 */
export async function toItem(
	session: JobSession,
	wait: JobWait,
	options: FinishOptions,
	result: WaitResult,
): Promise<ItemOutcome> {
	if (result.reason === 'suspended') return { suspended: { session, wait, options } };
	try {
		const { job, ...seen } = await settleWait(session, wait, result);
		const checked = requireValidOutput(session, job, options);
		const json = toJobItem(job, { ...options, ...seen, checked });
		if (!options.downloadFiles || !seen.isFinished) return { json };

		const { files, binary } = await downloadFiles(session, job.job_id, options);
		return { json: { ...json, files }, binary };
	} catch (error) {
		throw rethrown(toUserError(error, { jobId: wait.jobId }));
	}
}

/**
 * Throws a `UserError` for an output that does not match, unless the user wants it; so does each
 * retry.
 */
function requireValidOutput(
	{ client, entry }: JobSession,
	job: Job,
	{ outputSchema, onInvalidOutput }: FinishOptions,
): CheckedOutput | undefined {
	const checked = toCheckedOutput(job, outputSchema, client.redactor);
	const [first, ...others] = checked?.output_errors ?? [];
	if (first === undefined || onInvalidOutput === 'return') return checked;
	const more = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const error = new UserError(
		`The output of job ${job.job_id} does not match 'Output Format': ${first}`,
		{
			description: `${more}The job has completed; see its output with Job: Get Status. To get such outputs as items, set 'On Invalid Output' to 'Return'.`,
			jobIds: [job.job_id],
		},
	);
	entry.record('failed', { error });
	throw error;
}

async function downloadFiles(
	session: JobSession,
	jobId: string,
	{ maxFileBytes: maxBytes }: FinishOptions,
): Promise<AttachedFiles> {
	try {
		const list = await listJobFiles(session, jobId, { isFinished: true });
		const results = await downloadJobFiles(session, list, { maxBytes });
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
	const { description = '' } = described.details;
	return described.with({
		description:
			`The job itself has finished. Get its files with Job File: Download; don't start it again. ${description}`.trim(),
	});
}

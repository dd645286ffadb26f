import { describeServiceError } from '../../errors/describeServiceError';
import { ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { UserError } from '../../errors/UserError';
import { jobDurationMs, toSeconds } from '../../jobs/jobDuration';
import { downloadJobFiles, listJobFiles } from '../../jobs/jobFiles';
import { jobLinks } from '../../jobs/jobLinks';
import type { JobSession } from '../../jobs/JobSession';
import type { JobWait, WaitResult } from '../../jobs/JobWait';
import { settleWait } from '../../jobs/settleWait';
import { waitForJob } from '../../jobs/waitForJob';
import { toAttachedFiles, type AttachedFiles } from '../../output/attachedFiles';
import { toCheckedOutput } from '../../output/checkedOutput';
import { toJobItem } from '../../output/jobItem';
import type { ItemOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { CheckedOutput } from '../../structuredOutput/checkOutput';
import type { Outcome } from '../types';

/** How much of an invalid output an error quotes. */
const MAX_BEGINNING_CHARACTERS = 200;

/**
 * Waits for an item's job and returns its item, or the wait if it is suspended. Throws a
 * `UserError` that names the job.
 */
export async function waitForItem(
	session: JobSession,
	wait: JobWait,
	itemOptions: ItemOptions,
): Promise<Outcome[]> {
	const result = await waitForJob(session, wait);
	return [await finishItem(session, wait, result, itemOptions)];
}

/**
 * Turns the result of a wait into an outcome: the item of the job, or the wait itself if it should
 * be suspended. On the way, `settleWait` pauses the job or records its end, the output is checked,
 * and the job's files are downloaded if the item should have them. Throws a `UserError` that names
 * the job.
 */
export async function finishItem(
	session: JobSession,
	wait: JobWait,
	result: WaitResult,
	itemOptions: ItemOptions,
): Promise<Outcome> {
	if (result.reason === 'suspend') return { kind: 'suspended', session, wait, itemOptions };

	const { jobId } = wait;
	try {
		const { job, isFinished } = await settleWait(session, wait, result);
		const now = session.clock.now();
		const ms = jobDurationMs(job, wait.startedAt, now) ?? now - wait.waitStartedAt;
		const checked = requireValidOutput(session, wait, job, itemOptions);
		const shown = withLinks(session, job);
		const json = toJobItem(shown, {
			...itemOptions,
			isFinished,
			durationSeconds: toSeconds(ms),
			checked,
		});
		const links = jobLinks(session, job);
		if (!itemOptions.downloadFiles || !isFinished) {
			return { kind: 'output', json, links, otherFiles: announcedFiles(job) };
		}

		const { files, binary } = await downloadFiles(session, jobId, itemOptions);
		return { kind: 'output', json: { ...json, files }, binary, links };
	} catch (error) {
		throw toUserError(error, { jobId });
	}
}

/**
 * Returns how many files the service announces in a job's status, as its lists of files do;
 * undefined for none.
 */
function announcedFiles({ body }: Job): number | undefined {
	const { file_count: count } = body;
	return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}

/** Fills in links that the service may have sent only in its response to the start. */
function withLinks({ entry }: JobSession, job: Job): Job {
	const { started } = entry.known;
	return {
		...job,
		live_url: job.live_url ?? started?.live_url,
		history_url: job.history_url ?? started?.history_url,
		cdp_url: job.cdp_url ?? started?.cdp_url,
	};
}

/**
 * Checks the output of a job, and returns undefined if there is nothing to check. Unless invalid
 * outputs are to be returned, throws a `UserError` for an output that does not match, and records
 * it in the ledger, so that retries throw the same error.
 */
function requireValidOutput(
	session: JobSession,
	{ options }: JobWait,
	job: Job,
	{ outputSchema }: ItemOptions,
): CheckedOutput | undefined {
	const checked = toCheckedOutput(job, outputSchema, session.client.redactor);
	const mismatches = checked?.output_errors ?? [];
	const isReturned = options.returnInsteadOfFailing.includes('invalidOutput');
	if (mismatches.length === 0 || isReturned) return checked;

	const error = invalidOutputError(session, job, mismatches);
	session.entry.recordFailure(error);
	throw error;
}

function invalidOutputError(
	session: JobSession,
	job: Job,
	[first, ...others]: string[],
): UserError {
	const { job_id, output } = job;
	const also = others.length === 0 ? '' : `Also: ${others.join('; ')}. `;
	const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
	const shown = session.client.redactor.toPlainText(text, MAX_BEGINNING_CHARACTERS);
	const beginning = shown === '' ? '' : `The output begins with "${shown}". `;
	return new UserError(`The output of job ${job_id} does not match 'Output Format': ${first}`, {
		description: `${also}${beginning}See the whole output with Job: Get Status. To get such outputs as items, choose 'Output Is Invalid' in the option 'Return Instead of Failing'.`,
		jobIds: [job_id],
		links: jobLinks(session, job),
	});
}

async function downloadFiles(
	session: JobSession,
	jobId: string,
	{ maxFileBytes: maxBytes }: ItemOptions,
): Promise<AttachedFiles> {
	try {
		const list = await listJobFiles(session, jobId, { isFinished: true });
		const results = await downloadJobFiles(session, list, { maxBytes });
		const failed = results.find((result) => 'error' in result);
		if (failed !== undefined) throw toUserError(failed.error, { jobId, filename: failed.filename });
		return toAttachedFiles(results);
	} catch (error) {
		throw filesError(error, jobId);
	}
}

/** Adds a note to a download's error: the job itself did not fail. */
function filesError(error: unknown, jobId: string): unknown {
	const described = error instanceof ServiceError ? describeServiceError(error, { jobId }) : error;
	if (!(described instanceof UserError) || described.details.isStopped === true) return described;
	const { description = '', statusCode } = described.details;
	const advice =
		statusCode === 410
			? ''
			: ': get the files with Job File: Download instead of running the job again';
	return described.with({
		description: `Only the download failed, not the job${advice}. ${description}`.trim(),
	});
}

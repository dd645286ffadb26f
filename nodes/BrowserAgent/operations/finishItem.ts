import { describeServiceError } from '../../errors/describeServiceError';
import { ServiceError } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { UserError } from '../../errors/UserError';
import { jobDurationMs, toSeconds } from '../../jobs/jobDuration';
import { downloadJobFiles, listJobFiles } from '../../jobs/jobFiles';
import type { JobSession } from '../../jobs/JobSession';
import type { JobWait, WaitResult } from '../../jobs/JobWait';
import { settleWait } from '../../jobs/settleWait';
import { toAttachedFiles, type AttachedFiles } from '../../output/attachedFiles';
import { toJobItem } from '../../output/jobItem';
import type { ItemOptions } from '../../parameters/waiting';
import type { Job } from '../../service/types';
import type { Outcome } from '../types';
import { requireValidOutput } from './requireValidOutput';

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
		const durationSeconds = toSeconds(durationMs(session, wait, job));
		const checked = requireValidOutput(session, job, itemOptions);
		const shown = withLinks(session, job);
		const json = toJobItem(shown, { ...itemOptions, isFinished, durationSeconds, checked });
		if (!itemOptions.downloadFiles || !isFinished) return { kind: 'output', json };

		const { files, binary } = await downloadFiles(session, jobId, itemOptions);
		return { kind: 'output', json: { ...json, files }, binary };
	} catch (error) {
		throw toUserError(error, { jobId });
	}
}

/**
 * Returns the job's duration as the service reports it or, if that is implausible, the time from
 * its start until now.
 */
function durationMs(
	{ clock }: JobSession,
	{ startedAt, waitStartedAt }: JobWait,
	job: Job,
): number {
	const observedMs = clock.now() - (startedAt ?? waitStartedAt);
	// A job that was started elsewhere may have been running for any time before the wait.
	const maxMs = startedAt === undefined ? Infinity : observedMs;
	return jobDurationMs(job, maxMs) ?? observedMs;
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
	const { description = '' } = described.details;
	return described.with({
		description:
			`Only the download failed, not the job: get the files with Job File: Download instead of running the job again. ${description}`.trim(),
	});
}
